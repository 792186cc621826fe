// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Breadth-first search over the links between switches.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// From the switches in `queue`, which in the end has all that the search has come to, in this order. `enter(from, port, peer)`
// says of each link whether the search goes on to the switch at its end; false for switches where it has been.
template <class Enter>
void search_breadth_first(const Fabric& fabric, std::vector<SwitchId>& queue, Enter&& enter) {
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchId s = queue[head];
    for (const PortNum port : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, port); peer.is_switch() && enter(s, port, peer))
        queue.push_back(peer.as_switch());
  }
}

inline constexpr std::uint32_t kFarAway = std::numeric_limits<std::uint32_t>::max();

// Continues a search from what `distance` already holds, hops or kFarAway; `from` are the switches to go on from.
void extend_distances(const Fabric& fabric, std::vector<SwitchId> from, IdVector<SwitchId, std::uint32_t>& distance);

// Hops from the nearest of `from`; kFarAway where there is no path.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> distances(const Fabric& fabric, const std::vector<SwitchId>& from);

}  // namespace espalier
