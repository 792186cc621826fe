// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/connected_components.h"

#include "core/base/disjoint_sets.h"

namespace espalier {

IdVector<SwitchId, std::uint32_t> connected_components(const Fabric& fabric) {
  DisjointSets parts(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && s < peer.as_switch())
        parts.join(index(s), index(peer.as_switch()));
  return IdVector<SwitchId, std::uint32_t>(parts.numbers());
}

}  // namespace espalier
