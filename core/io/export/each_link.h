// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Each link of a fabric once, in the order of its ends.
#pragma once

#include <utility>

#include "core/fabric/fabric.h"

namespace espalier {

// visit(SwitchId, PortNum, const Peer&): a link between switches comes at the end with the lower id.
template <class Visit>
void for_each_link(const Fabric& fabric, Visit visit) {
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, port);
      if (peer.kind == Peer::Kind::kNone) continue;
      if (peer.is_switch() && std::pair(s, port) > std::pair(peer.as_switch(), peer.port)) continue;
      visit(s, port, peer);
    }
}

}  // namespace espalier
