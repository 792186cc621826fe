// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/multicast_dependencies.h"

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
  IdVector<SwitchId, std::vector<PortNum>> ports(fabric.num_switches());
  for (const ChannelId c : links) {
    ports[fabric.source(c)].push_back(fabric.port(c));
    ports[fabric.peer(c).as_switch()].push_back(fabric.peer(c).port);
  }
  std::vector<MulticastStep> steps;
  for (const SwitchId s : fabric.switches())
    for (const PortNum out : ports[s]) {
      const Peer& peer = fabric.peer(s, out);
      const std::uint32_t vls = multicast_lanes(fabric, lanes, s, ports[s], out, sl);
      for (const PortNum next : ports[peer.as_switch()]) {
        const std::uint8_t next_vl = lanes.vl(peer.as_switch(), peer.port, next, sl);
        if (next == peer.port || next_vl >= lanes.num_vls()) continue;
        for (std::uint8_t vl = 0; vl < lanes.num_vls(); ++vl)
          if ((vls >> vl & 1U) != 0) steps.push_back({fabric.channel(s, out), vl, next, next_vl});
      }
    }
  return steps;
}

}  // namespace espalier
