// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/multicast_dependencies.h"

#include <bit>

#include "core/base/flat_lists.h"

namespace espalier {

std::uint32_t multicast_lanes(const Fabric& fabric, const Lanes& lanes, SwitchId s, std::span<const PortNum> tree_ports,
                              PortNum out, std::uint8_t sl) {
  std::uint32_t vls = 0;
  const auto from = [&](PortNum in) {
    const std::uint8_t vl = lanes.vl(s, in, out, sl);
    if (vl < lanes.num_vls()) vls |= 1U << vl;
  };
  from(kManagementPort);
  const LaneMaps& maps = lanes.maps();
  if (maps.num_classes(maps.map_of(s)) == 1) return vls;  // the same from all ports
  for (const PortNum p : fabric.ports(s))
    if (fabric.peer(s, p).is_endport()) from(p);
  for (const PortNum in : tree_ports)
    if (in != out) from(in);
  return vls;
}

std::vector<MulticastStep> multicast_steps(const Fabric& fabric, const Lanes& lanes, std::span<const ChannelId> links,
                                           std::uint8_t sl) {
  const FlatLists<PortNum> ports(fabric.num_switches(), [&](const auto& add) {
    for (const ChannelId c : links) {
      add(index(fabric.source(c)), fabric.port(c));
      add(fabric.peer(c).id, fabric.peer(c).port);
    }
  });
  const LaneMaps& maps = lanes.maps();
  std::vector<MulticastStep> steps;
  for (const SwitchId s : fabric.switches())
    for (const PortNum out : ports.at(index(s))) {
      const Peer& peer = fabric.peer(s, out);
      const SwitchId t = peer.as_switch();
      const ChannelId channel = fabric.channel(s, out);
      const std::uint32_t vls = multicast_lanes(fabric, lanes, s, ports.at(index(s)), out, sl);
      const bool are_ports_alike = maps.num_classes(maps.map_of(t)) == 1;
      const std::uint8_t vl_from_any = lanes.vl(t, kManagementPort, kManagementPort, sl);
      for (const PortNum next : ports.at(index(t))) {
        const std::uint8_t next_vl = are_ports_alike ? vl_from_any : lanes.vl(t, peer.port, next, sl);
        if (next == peer.port || next_vl >= lanes.num_vls()) continue;
        for (std::uint32_t left = vls; left != 0; left &= left - 1)
          steps.push_back({channel, static_cast<std::uint8_t>(std::countr_zero(left)), next, next_vl});
      }
    }
  return steps;
}

}  // namespace espalier
