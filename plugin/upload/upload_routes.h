// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which switches may hold a table that was meant for another one. Knows no OpenSM.
//
// OpenSM sends tables along directed routes (lists of output ports) that its discovery has found, and takes the answer
// for that of the switch it meant: no packet says to whom it is. When somebody moves a link between the discovery and
// the upload, a route leads to another switch, which takes the block. OpenSM then believes the switch it meant to have
// the block, and the other one to have what it had; since it sends only blocks that differ from what it believes, both
// stay wrong, sweep after sweep. It sends everything to switches whose own ports have changed (SwitchInfo's
// PortStateChange), which are those next to the link, not those behind it.
//
// But the next discovery sees the link where it is now. So: follow the routes of the last upload over the fabric as it
// is, and send everything anew to whoever is at the end of a route to somebody else, and to that somebody. A route that
// leads nowhere needs nothing: its packets were lost, and OpenSM repeats what nobody acknowledged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

struct UploadRoute {
  Guid to;                          // the switch that was meant
  std::vector<std::uint8_t> ports;  // out of which a packet leaves at each hop, from the subnet manager's port on
};

// Ascending. `sm_port`: the port GUID of the subnet manager.
[[nodiscard]] std::vector<SwitchId> misdirected(const Fabric& fabric, Guid sm_port,
                                                std::span<const UploadRoute> routes);

}  // namespace espalier
