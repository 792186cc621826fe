// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/network.h"

#include <algorithm>

namespace espalier::packets {
namespace {

constexpr PortNum kPortZero{0};

// Rounded to whole cycles for a phit: half the rate is 2, a rate of two thirds is 2 as well.
void set_slowness(const Fabric& fabric, Network& network) {
  std::vector<std::uint32_t> mbps(network.num_ports());
  for (Port p = 0; p < network.num_ports(); ++p)
    if (network.port_number[p] != kPortZero)
      mbps[p] = fabric.rate(SwitchId{network.ports[p].router}, network.port_number[p]).mbps();
  const std::uint32_t fastest = mbps.empty() ? 0 : *std::max_element(mbps.begin(), mbps.end());
  network.slowness.assign(network.num_ports(), 1);
  for (Port p = 0; p < network.num_ports(); ++p)
    if (mbps[p] != 0)
      network.slowness[p] = static_cast<std::uint16_t>(std::min(1000U, (fastest + mbps[p] - 1) / mbps[p]));
}

// Those of switches, their ports 0 only if switches take part. Returns which is at each channel.
std::vector<Port> list_ports(const Fabric& fabric, Members members, Network& network) {
  std::vector<Port> port_of(fabric.num_channels(), kNone);
  for (const SwitchId s : fabric.switches()) {
    network.first_port.push_back(network.num_ports());
    for (std::size_t i = 1; i <= fabric.at(s).num_ports; ++i) {
      const auto number = id_at<PortNum>(i);
      if (fabric.peer(s, number).kind == Peer::Kind::kNone) continue;
      port_of[index(fabric.channel(s, number))] = network.num_ports();
      network.ports.push_back({.router = static_cast<Router>(index(s)),
                               .position = static_cast<std::uint8_t>(network.num_ports() - network.first_port.back())});
      network.port_number.push_back(number);
    }
    if (members == Members::kHosts) continue;
    network.ports.push_back({.router = static_cast<Router>(index(s)),
                             .position = static_cast<std::uint8_t>(network.num_ports() - network.first_port.back()),
                             .kind = PortClass::kNode});
    network.port_number.push_back(kPortZero);
  }
  network.first_port.push_back(network.num_ports());
  return port_of;
}

// End ports that are cabled, then ports 0 of switches.
void number_nodes(const Fabric& fabric, const std::vector<Port>& port_of, Network& network) {
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    if (endport.leaf == kNoSwitch) continue;
    const Port port = port_of[index(fabric.channel(endport.leaf, endport.leaf_port))];
    network.ports[port].peer = network.num_nodes();
    network.ports[port].kind = PortClass::kNode;
    network.node_port.push_back(port);
    network.endport.push_back(e);
  }
  network.num_hosts = network.num_nodes();
  for (Port p = 0; p < network.num_ports(); ++p)
    if (network.port_number[p] == kPortZero) {
      network.ports[p].peer = network.num_nodes();
      network.node_port.push_back(p);
    }
}

void join_ports(const Fabric& fabric, const std::vector<Port>& port_of, Network& network) {
  for (Port p = 0; p < network.num_ports(); ++p) {
    if (network.port_number[p] == kPortZero) continue;
    const Peer& peer = fabric.peer(SwitchId{network.ports[p].router}, network.port_number[p]);
    if (!peer.is_switch()) continue;
    network.ports[p].peer = port_of[index(fabric.channel(peer.as_switch(), peer.port))];
    network.ports[p].neighbor = static_cast<Router>(index(peer.as_switch()));
  }
}

}  // namespace

Network make_network(const Fabric& fabric, Members members, std::uint16_t switch_slowness) {
  Network network;
  const std::vector<Port> port_of = list_ports(fabric, members, network);
  number_nodes(fabric, port_of, network);
  join_ports(fabric, port_of, network);
  set_slowness(fabric, network);
  for (Node n = network.num_hosts; n < network.num_nodes(); ++n)
    network.slowness[network.node_port[n]] = switch_slowness;
  return network;
}

}  // namespace espalier::packets
