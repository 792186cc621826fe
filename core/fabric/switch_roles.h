// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which switches are which, as far as one can tell without levels (those belong to core/tree), and the cables of a
// fabric one by one. For code that changes fabrics.
#pragma once

#include <algorithm>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// Whether it is an Aggregation Node: a CA inside a switch, for in-network reduction (SHARP), and nobody's host.
[[nodiscard]] bool is_part_of_switch(const Endport& e);

// Per switch: whether it carries an end port other than an Aggregation Node.
[[nodiscard]] IdVector<SwitchId, char> host_bearing(const Fabric& fabric);

// The switches at the greatest distance from the nearest that is host-bearing, ascending. Breadth first from all of
// these at once. Empty where all switches are, or none can be reached.
[[nodiscard]] std::vector<SwitchId> all_spines(const Fabric& fabric);

// The lower channel of the cable in this port. REQUIRES: it has one.
[[nodiscard]] inline ChannelId link_of(const Fabric& fabric, SwitchId s, PortNum port) {
  const Peer& peer = fabric.peer(s, port);
  const ChannelId here = fabric.channel(s, port);
  return peer.is_switch() ? std::min(here, fabric.channel(peer.as_switch(), peer.port)) : here;
}

// Every cable once, as the channel that link_of() names, ascending.
[[nodiscard]] std::vector<ChannelId> all_cables(const Fabric& fabric);

}  // namespace espalier
