// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Reads the ports report of `ibnetdiscover -p`: one line for each port of the subnet.
//
//   CA    23  1 0x0002c90300000001 4x QDR - SW    60 30 0x0002c90200000000 ( 'node1 HCA-1' - 'leaf 1' )
//   SW    60 26 0x0002c90200000000 4x SDR                                    'leaf 1'
//
// Kind, LID, port, port GUID, width and speed, and the same of the other end. A report has no node GUIDs: that of a
// switch is its port GUID, that of a CA or router is taken to be port GUID - port, so two ports of one HCA are one
// node on most hardware. It has no LMCs either: each port is taken to have a single LID.
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier {

// Whether a line is one of a report: its first words are SW, CA or RT, and a number.
[[nodiscard]] bool is_ports_report_line(std::string_view line);

// Other lines are skipped: a report often comes with a shell prompt and messages around it.
// Warnings and errors as those of LinkList (link_list.h); further errors: a line of a port that cannot be read.
[[nodiscard]] Result<ParsedNet> read_ports_report(std::string_view text, const std::string& file_name);

}  // namespace espalier
