// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Reads the .topo files of ibutils (ibdmchk -t, ibtopodiff, ibmgtsim): systems and the links between their plugs.
//
//   MTS2400 leaf-1
//      P1 -4x-10G-> MT23108 node-1 P1
//      P24 -> MTS2400 spine-1 P1
//
// Types that are one chip are known here (topo_words.cc); for all others of one chip there are
//
//   SW   a switch         CA, HCA   a channel adapter
//
// with as many ports as are spoken of. A plug is P1, 1, U1/P1 or U1/1: port 1 of the chip. A chassis of many chips is
// wired as its .ibnl file says (ibnl.h), which ibutils installs; "CFG: leaf1=R,leaf2=12x" takes boards out or chooses
// variants. Its chips are called NAME/leaf1/U1.
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier {

// Whether a line is one of a link: its second word is an arrow.
[[nodiscard]] bool is_topo_line(std::string_view line);

// There are no GUIDs in it: they are made from the names (net_guids.h). Nor LIDs. A link may be said once or twice.
// Warnings and errors as those of LinkList (link_list.h); further errors: a type that nobody knows, a
// system with two types, a board that the chassis lacks, a plug that is no port, any other line that cannot be read.
[[nodiscard]] Result<ParsedNet> read_topo(std::string_view text, const std::string& file_name);

}  // namespace espalier
