// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's opensm-subnet.lst: one line for each end of each link. ibdmchk of ibutils checks it with opensm.fdbs.
//
//   { CA Ports:01 SystemGUID:0002c90300000003 NodeGUID:0002c90300000000 PortGUID:0002c90300000001 VenID:0002C9
//   DevID:6282 Rev:000000A1 {node1 HCA-1} LID:0017 PN:01 } { SW-SM Ports:24 ... } PHY=4x LOG=ACT SPD=10
//
// (in one line). All numbers but SPD are hexadecimal. The file has no LMCs: each port is taken to have a single LID.
#pragma once

#include <string>
#include <string_view>

#include "core/fabric/fabric.h"
#include "core/io/net/net_reader.h"

namespace espalier {

// Whether a line is one of the file.
[[nodiscard]] bool is_subnet_list_line(std::string_view line);

// Warnings and errors as those of LinkList (link_list.h); further errors: a line that is neither blank nor a #-remark
// and cannot be read.
[[nodiscard]] Result<ParsedNet> read_subnet_list(std::string_view text, const std::string& file_name);

// In OpenSM's order. What a Fabric does not know is 0: vendor, device, revision. SystemGUID is the node's GUID. Braces
// in descriptions become parentheses, on which ibdmchk depends.
[[nodiscard]] std::string write_subnet_list(const Fabric& fabric);

}  // namespace espalier
