// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Forwarding tables in the dialect of OpenSM's opensm-lfts.dump, which OpenSM loads again with `-R file -U FILE`.
//
//   Unicast lids [0-3] of switch Lid 1 guid 0x0000000000100000 ('leaf 0'):
//   0x0001 000 # Switch portguid 0x0000000000100000: 'leaf 0'
//   0x0002 003 # Channel Adapter portguid 0x0000000000200001: 'node 0'
//   3 lids dumped
//
// One section for each switch, in the order of OpenSM's own map (GUIDs as numbers in network byte order); entries
// without a route are left out; the trailing count is the highest LID, not the number of lines. 10 000 hosts make
// more than a gigabyte of it, hence the writer to a FILE and a reader that allocates nothing per line.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Byte for byte what OpenSM dumps for these tables. REQUIRES: the tables have a row for each switch of the fabric.
[[nodiscard]] std::string write_lfts(const Fabric& fabric, const ForwardingTables& tables);
// The same into `out`. Errors: what the system says when a write fails.
[[nodiscard]] Status write_lfts(std::FILE* out, const Fabric& fabric, const ForwardingTables& tables);

// Reads every dialect of lft_lines.h: opensm-lfts.dump, opensm.fdbs, and what ibroute and dump_fts (infiniband-diags)
// print. Rows of switches that the text leaves out are kNoPort.
// Errors, with file and line: a switch that is not in the fabric or has two sections; a LID that is not one of the
// fabric's range, comes twice or belongs to another port than the text says; a port that the switch does not have;
// a table that is not complete; any other line that is no blank or #-remark.
[[nodiscard]] Result<ForwardingTables> read_lfts(std::string_view text, const std::string& file_name,
                                                 const Fabric& fabric);

}  // namespace espalier
