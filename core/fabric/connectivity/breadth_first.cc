// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/breadth_first.h"

namespace espalier {

void extend_distances(const Fabric& fabric, std::vector<SwitchId> from, IdVector<SwitchId, std::uint32_t>& distance) {
  search_breadth_first(fabric, from, [&](SwitchId s, PortNum, const Peer& peer) {
    if (distance[peer.as_switch()] != kFarAway) return false;
    distance[peer.as_switch()] = distance[s] + 1;
    return true;
  });
}

IdVector<SwitchId, std::uint32_t> distances(const Fabric& fabric, const std::vector<SwitchId>& from) {
  IdVector<SwitchId, std::uint32_t> distance(fabric.num_switches(), kFarAway);
  for (const SwitchId s : from) distance[s] = 0;
  extend_distances(fabric, from, distance);
  return distance;
}

}  // namespace espalier
