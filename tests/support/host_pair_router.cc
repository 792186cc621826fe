// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/host_pair_router.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/engines/modulo/random_choice.h"
#include "core/tree/next_hops.h"

namespace espalier {

HostPairRouter::HostPairRouter(const FatTree& tree) : problem_(tree) {}

HostPairRouter::Path HostPairRouter::walk(EndportId source, EndportId destination,
                                          const std::function<PortNum(const Here&)>& choose) const {
  const Fabric& fabric = problem_.fabric;
  const SwitchId goal = fabric.at(destination).leaf;
  SwitchId s = fabric.at(source).leaf;
  PortNum in = fabric.at(source).leaf_port;
  Path path;
  while (s != goal) {
    const std::vector<PortGroup> closer = closer_groups(problem_.tree, problem_.costs, s, goal);
    check(!closer.empty(), "HostPairRouter: no up-down path");
    const PortNum out = choose({s, in, closer, problem_.costs.down_cost(s, goal) != kUnreachable});
    path.push_back(fabric.channel(s, out));
    const Peer& peer = fabric.peer(s, out);
    s = peer.as_switch();
    in = peer.port;
  }
  return path;
}

// (4.7) and (4.8).
PortNum HostPairRouter::closed_form(const Here& here, std::uint32_t number) const {
  const std::uint32_t quotient = number / problem_.divider[here.s];
  const auto count = static_cast<std::uint32_t>(here.closer.size());
  const auto ports = problem_.tree.ports(here.closer[quotient % count]);
  return ports[quotient / count % ports.size()];
}

// Ports upward and downward are counted group by group, hosts first.
PortNum HostPairRouter::same_index_upward(const Here& here) const {
  std::vector<PortNum> below;
  for (const EndportId e : problem_.tree.hosts(here.s)) below.push_back(problem_.fabric.at(e).leaf_port);
  for (const PortGroup& g : problem_.tree.down_groups(here.s))
    below.insert(below.end(), problem_.tree.ports(g).begin(), problem_.tree.ports(g).end());
  std::vector<PortNum> above;
  for (const PortGroup& g : here.closer)
    above.insert(above.end(), problem_.tree.ports(g).begin(), problem_.tree.ports(g).end());
  const auto place = static_cast<std::size_t>(std::find(below.begin(), below.end(), here.in) - below.begin());
  return above[place % above.size()];
}

HostPairRouter::Path HostPairRouter::by_number(EndportId source, EndportId destination, std::uint32_t number) const {
  return walk(source, destination, [&](const Here& here) { return closed_form(here, number); });
}

HostPairRouter::Path HostPairRouter::by_input_port(EndportId source, EndportId destination) const {
  return walk(source, destination, [&](const Here& here) {
    return here.down ? closed_form(here, problem_.order.of_endport[destination]) : same_index_upward(here);
  });
}

HostPairRouter::Path HostPairRouter::at_random(EndportId source, EndportId destination, std::uint64_t seed) const {
  const Fabric& fabric = problem_.fabric;
  const auto guid = [&](EndportId e) { return static_cast<std::uint64_t>(fabric.at(e).port_guid); };
  const std::uint64_t key = mix(mix(seed, guid(source)), guid(destination));
  return walk(source, destination, [&](const Here& here) {
    std::vector<PortNum> ports;
    for (const PortGroup& g : here.closer)
      ports.insert(ports.end(), problem_.tree.ports(g).begin(), problem_.tree.ports(g).end());
    return ports[mix(key, static_cast<std::uint64_t>(fabric.at(here.s).guid)) % ports.size()];
  });
}

}  // namespace espalier
