// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Shortest paths without a thought for deadlocks, as OpenSM's default engine takes them: LID after LID, each by the
// least loaded of the ports that lead one hop closer.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/levels.h"

namespace espalier::test {

[[nodiscard]] inline ForwardingTables minhop(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  std::vector<std::uint32_t> load(fabric.num_channels());
  for (std::size_t l = 1; l <= index(fabric.top_lid()); ++l) {
    const Lid lid = id_at<Lid>(l);
    const SwitchId t = fabric.destination_switch(lid);
    if (t == kNoSwitch) continue;
    const auto distance = distances(fabric, {t});
    for (const SwitchId s : fabric.switches()) {
      PortNum best = kNoPort;
      for (const PortNum port : fabric.ports(s)) {
        const Peer& peer = fabric.peer(s, port);
        if (!peer.is_switch() || distance[peer.as_switch()] + 1 != distance[s]) continue;
        if (best == kNoPort || load[index(fabric.channel(s, port))] < load[index(fabric.channel(s, best))]) best = port;
      }
      if (s == t) {
        const LidOwner& owner = fabric.owner(lid);
        best =
            owner.kind == LidOwner::Kind::kSwitch ? kManagementPort : fabric.at(id_at<EndportId>(owner.id)).leaf_port;
      }
      tables.set(s, lid, best);
      if (best != kNoPort) ++load[index(fabric.channel(s, best))];
    }
  }
  return tables;
}

}  // namespace espalier::test
