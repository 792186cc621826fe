// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Reads the .topo files of ibutils (ibdmchk -t, ibtopodiff, ibmgtsim): systems and the cables between their plugs.
//
//   MTS2400 leaf-1
//      P1 -4x-10G-> MT23108 node-1 P1
//      P24 -> MTS2400 spine-1 P1
//
// A system there may be a chassis of many chips, whose wiring is in an .ibnl file of its type. Read are systems that
// are one chip: the types of that kind that ibutils brings along (kTypes in topo_file.cc), and for all others
//
//   SW   a switch         CA, HCA   a channel adapter
//
// with as many ports as are spoken of. A plug is P1, 1, U1/P1 or U1/1: port 1 of the chip.
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier {

// Whether a line is one of a cable: its second word is an arrow.
[[nodiscard]] bool is_topo_line(std::string_view line);

// There are no GUIDs in it: they are made from the names (net_guids.h). Nor LIDs. A cable may be said once or twice.
// Warnings and errors as those of LinkList (link_list.h); further errors: a type that is not known to be one chip, a
// system with two types, a CFG: section, a plug that is no port, any other line that cannot be read.
[[nodiscard]] Result<ParsedNet> read_topo(std::string_view text, const std::string& file_name);

}  // namespace espalier
