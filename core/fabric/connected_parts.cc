// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connected_parts.h"

#include <vector>

namespace espalier {

IdVector<SwitchId, std::uint32_t> connected_parts(const Fabric& fabric) {
  constexpr std::uint32_t kUnseen = 0xFFFFFFFF;
  IdVector<SwitchId, std::uint32_t> part(fabric.num_switches(), kUnseen);
  std::uint32_t num_parts = 0;
  std::vector<SwitchId> frontier;
  for (const SwitchId start : fabric.switches()) {
    if (part[start] != kUnseen) continue;
    part[start] = num_parts;
    frontier.assign(1, start);
    while (!frontier.empty()) {
      const SwitchId s = frontier.back();
      frontier.pop_back();
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
        const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
        if (!peer.is_switch() || part[peer.as_switch()] != kUnseen) continue;
        part[peer.as_switch()] = num_parts;
        frontier.push_back(peer.as_switch());
      }
    }
    ++num_parts;
  }
  return part;
}

}  // namespace espalier
