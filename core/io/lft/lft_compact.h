// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Forwarding tables in a thousandth of the room, for `espalier` alone: a byte for each entry, and what stands behind
// the entries of a dump once instead of once per switch. Compressed (gzip.h), 8 640 hosts come to a third of a
// megabyte, where OpenSM's dialect has 882 (docs/measured/command.md).
//
//   espalier tables 1
//   54 703                                               switches, LIDs (0 .. 702)
//                                                        for each LID a line: its remark in opensm-lfts.dump, or
//   nothing Switch portguid 0x0000000000100000: 'leaf 0'
//   0x0000000000100000 leaf 0                            for each switch a line, and behind it
//   <703 bytes: the port of each LID, 255 without a route>
//
// read_lfts() and read_lft_text() take it as one more dialect.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/io/lft/lft_lines.h"

namespace espalier {

// REQUIRES: the tables have a row for each switch of the fabric.
[[nodiscard]] std::string write_compact_lfts(const Fabric& fabric, const ForwardingTables& tables);

namespace io {

[[nodiscard]] bool is_compact_lfts(std::string_view text);

// What LftLines would say of the same tables in another dialect, line by line, until `take` refuses. Errors carry no
// file: another version, numbers that cannot be, an end too early or too late.
[[nodiscard]] Status read_compact_lfts(std::string_view text, const std::function<Status(const LftLine&)>& take);

}  // namespace io
}  // namespace espalier
