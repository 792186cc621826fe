// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which switches are which, as far as one can tell without levels (those belong to core/tree), and the links of a
// fabric one by one. For code that changes fabrics.
#pragma once

#include <algorithm>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// Ascending.
[[nodiscard]] std::vector<SwitchId> switches_with_hosts(const Fabric& fabric);

// The switches at the greatest distance from the nearest that has hosts, ascending. Breadth first from all of
// these at once. Empty where all switches are, or none can be reached.
[[nodiscard]] std::vector<SwitchId> all_spines(const Fabric& fabric);

// The lower channel of the link in this port. REQUIRES: it has one.
[[nodiscard]] inline ChannelId link_of(const Fabric& fabric, SwitchId s, PortNum port) {
  const Peer& peer = fabric.peer(s, port);
  const ChannelId here = fabric.channel(s, port);
  return peer.is_switch() ? std::min(here, fabric.channel(peer.as_switch(), peer.port)) : here;
}

// Every link once, as the channel that link_of() names, ascending.
[[nodiscard]] std::vector<ChannelId> all_links(const Fabric& fabric);

}  // namespace espalier
