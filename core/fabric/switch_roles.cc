// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/switch_roles.h"

#include "core/fabric/connectivity/breadth_first.h"
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
  const IdVector<SwitchId, std::uint32_t> distance = distances(fabric, switches_with_hosts(fabric));
  std::uint32_t greatest = 1;
  for (const std::uint32_t d : distance)
    if (d != kFarAway) greatest = std::max(greatest, d);
  std::vector<SwitchId> spines;
  for (const SwitchId s : fabric.switches())
    if (distance[s] == greatest) spines.push_back(s);
  return spines;
}

std::vector<ChannelId> all_links(const Fabric& fabric) {
  std::vector<ChannelId> links;
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (fabric.peer(c).kind != Peer::Kind::kNone && link_of(fabric, fabric.source(c), fabric.port(c)) == c)
      links.push_back(c);
  return links;
}

}  // namespace espalier
