// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one way into this room for a fabric of whatever format: the content says which one it is, not the file's name.
#pragma once

#include <string>
#include <string_view>

#include "core/io/net/net_reader.h"

namespace espalier {

enum class FabricFormat {
  kNet,          // ibsim net file; text of ibnetdiscover, plain or grouped (-g), and of ibdiagnet2 (net_reader.h)
  kPortsReport,  // ibnetdiscover -p (ports_report.h)
  kSubnetList,   // opensm-subnet.lst (subnet_list.h)
  kTopo,         // ibdm .topo (topo_file.h)
  kLinkInfo,     // iblinkinfo (link_info.h)
  kUnknown,
};

// That of the first line which only one format has; blank lines, remarks and prompts decide nothing.
[[nodiscard]] FabricFormat fabric_format(std::string_view text);

// Whether this is what ibnetdiscover --cache writes, which only its library reads (core/live/discovery_cache.h).
[[nodiscard]] bool is_discovery_cache(std::string_view content);

// Warnings and errors are those of the format's reader. `port_guids` matters for kNet only; the others know or make
// the GUIDs of ports. An error of its own: content of no such format, and what it is as far as that can be told.
[[nodiscard]] Result<ParsedNet> read_fabric(std::string_view text, const std::string& file_name,
                                            PortGuids port_guids = PortGuids::kNodePlusPort);

}  // namespace espalier
