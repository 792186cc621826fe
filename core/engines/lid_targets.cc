// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/lid_targets.h"

namespace espalier {

LidTargets::LidTargets(const FatTree& tree, const NodeOrder& order) {
  const Fabric& fabric = tree.fabric();
  for (const SwitchId t : fabric.switches()) {
    first_.push_back(static_cast<std::uint32_t>(targets_.size()));
    const Switch& own = fabric.at(t);
    if (own.lid != kNoLid) targets_.push_back({own.lid, own.lmc, kManagementPort, order.of_switch[t]});
    for (const PortNum p : fabric.ports(t)) {
      const Peer& peer = fabric.peer(t, p);
      if (!peer.is_endport()) continue;
      const Endport& e = fabric.at(peer.as_endport());
      if (e.lid != kNoLid) targets_.push_back({e.lid, e.lmc, p, order.of_endport[peer.as_endport()]});
    }
  }
  first_.push_back(static_cast<std::uint32_t>(targets_.size()));
}

}  // namespace espalier
