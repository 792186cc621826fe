// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Reads what iblinkinfo of infiniband-diags prints: one line for each port, below the node's name or with GUIDs in it
// (-l).
//
//   Switch: 0x0002c90001000001 leaf 1:
//             2    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       7    1[  ] "host 2" ( )
//             2    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
//   CA: host 2:
//        0x0002c90100000021      7    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2    1[  ] "leaf 1" ( )
//
// LID, port, width and speed; LID, port and name of the other end. Who that is only its LID says, so all nodes need one
// unless the lines have GUIDs. A CA's node GUID is taken to be port GUID - port, as in a ports report; LMCs are not
// told.
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier {

// Whether it is the line of a port: an arrow "==(" ... ")==>" behind "PORT[".
[[nodiscard]] bool is_link_info_line(std::string_view line);

// Warnings and errors as those of LinkList (link_list.h); further errors, with file and line: a port that cannot be
// read, a peer's LID that nobody has.
[[nodiscard]] Result<ParsedNet> read_link_info(std::string_view text, const std::string& file_name);

}  // namespace espalier
