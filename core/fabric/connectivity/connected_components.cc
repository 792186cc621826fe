// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/connected_components.h"

#include <vector>

namespace espalier {

// Breadth first: on most fabrics all switches are found long before all links have been looked at.
IdVector<SwitchId, std::uint32_t> connected_components(const Fabric& fabric) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const std::size_t count = fabric.num_switches();
  IdVector<SwitchId, std::uint32_t> component(count, kNone);
  std::vector<SwitchId> found;
  found.reserve(count);
  std::uint32_t next = 0;
  const auto find = [&](SwitchId s) {
    component[s] = next;
    found.push_back(s);
  };
  for (const SwitchId first : fabric.switches()) {
    if (component[first] != kNone) continue;
    const std::size_t begin = found.size();
    find(first);
    for (std::size_t i = begin; i < found.size() && found.size() < count; ++i)
      for (const PortNum p : fabric.ports(found[i]))
        if (const Peer& peer = fabric.peer(found[i], p); peer.is_switch() && component[peer.as_switch()] == kNone)
          find(peer.as_switch());
    ++next;
  }
  return component;
}

}  // namespace espalier
