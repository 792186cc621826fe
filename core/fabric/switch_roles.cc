// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/switch_roles.h"

#include <utility>

#include "core/fabric/endport_role.h"

namespace espalier {

std::vector<SwitchId> switches_with_hosts(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  std::vector<SwitchId> leaves;
  for (const SwitchId s : fabric.switches())
    if (hosts[s] > 0) leaves.push_back(s);
  return leaves;
}

std::vector<SwitchId> all_spines(const Fabric& fabric) {
  IdVector<SwitchId, std::uint32_t> seen = count_hosts(fabric);
  std::vector<SwitchId> layer, next;
  for (const SwitchId s : fabric.switches())
    if (seen[s] != 0) next.push_back(s);
  std::size_t distance = 0;
  for (; !next.empty(); ++distance) {
    layer = std::exchange(next, {});
    for (const SwitchId s : layer) {
      for (const PortNum p : fabric.ports(s)) {
        const Peer& peer = fabric.peer(s, p);
        if (peer.is_switch() && std::exchange(seen[peer.as_switch()], 1) == 0) next.push_back(peer.as_switch());
      }
    }
  }
  if (distance < 2) return {};
  std::sort(layer.begin(), layer.end());
  return layer;
}

std::vector<ChannelId> all_links(const Fabric& fabric) {
  std::vector<ChannelId> links;
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (fabric.peer(c).kind != Peer::Kind::kNone && link_of(fabric, fabric.source(c), fabric.port(c)) == c)
      links.push_back(c);
  return links;
}

}  // namespace espalier
