// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/connected_components.h"

#include "core/base/disjoint_sets.h"

namespace espalier {

IdVector<SwitchId, std::uint32_t> connected_components(const Fabric& fabric) {
  DisjointSets parts(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
      if (const Peer& peer = fabric.peer(s, id_at<PortNum>(p)); peer.is_switch() && s < peer.as_switch())
        parts.join(index(s), index(peer.as_switch()));
  return IdVector<SwitchId, std::uint32_t>(parts.numbers());
}

}  // namespace espalier
