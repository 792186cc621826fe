// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/analysis/fill_tables.h"

namespace espalier::test {
namespace {

constexpr std::size_t kFar = 1000000;

// Links from each switch to `goal`, breadth first.
std::vector<std::size_t> distances_to(const Fabric& fabric, SwitchId goal) {
  std::vector<std::size_t> distance(fabric.num_switches(), kFar);
  std::vector<SwitchId> queue{goal};
  distance[index(goal)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const SwitchId s = queue[i];
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || distance[peer.id] != kFar) continue;
      distance[peer.id] = distance[index(s)] + 1;
      queue.push_back(peer.as_switch());
    }
  }
  return distance;
}

// The ports of `s` behind which `distance` is smaller, ascending.
std::vector<PortNum> ports_nearer(const Fabric& fabric, const std::vector<std::size_t>& distance, SwitchId s) {
  std::vector<PortNum> ports;
  for (const PortNum p : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, p);
    if (peer.is_switch() && distance[peer.id] + 1 == distance[index(s)]) ports.push_back(p);
  }
  return ports;
}

std::vector<std::vector<Lid>> lids_by_goal(const Fabric& fabric) {
  std::vector<std::vector<Lid>> lids(fabric.num_switches());
  for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i) {
    const SwitchId goal = fabric.destination_switch(id_at<Lid>(i));
    if (goal != kNoSwitch) lids[index(goal)].push_back(id_at<Lid>(i));
  }
  return lids;
}

PortNum delivery_port(const Fabric& fabric, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  return owner.kind == LidOwner::Kind::kSwitch ? kManagementPort : fabric.at(EndportId{owner.id}).leaf_port;
}

}  // namespace

ForwardingTables route_shortest(const Fabric& fabric, std::size_t salt) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const auto lids = lids_by_goal(fabric);
  for (const SwitchId goal : fabric.switches()) {
    const std::vector<std::size_t> distance = distances_to(fabric, goal);
    for (const SwitchId s : fabric.switches()) {
      if (distance[index(s)] == kFar) continue;
      const std::vector<PortNum> nearer = ports_nearer(fabric, distance, s);
      for (const Lid lid : lids[index(goal)]) {
        const bool host = fabric.owner(lid).kind == LidOwner::Kind::kEndport;
        const std::size_t choice = host ? index(lid) + salt : 0;
        tables.set(s, lid, s == goal ? delivery_port(fabric, lid) : nearer[choice % nearer.size()]);
      }
    }
  }
  return tables;
}

ForwardingTables route_tree(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const auto lids = lids_by_goal(fabric);
  std::vector<PortNum> to_parent(fabric.num_switches(), kNoPort);
  std::vector<bool> seen(fabric.num_switches(), false);
  for (const SwitchId root : fabric.switches()) {
    if (seen[index(root)]) continue;
    const std::vector<std::size_t> distance = distances_to(fabric, root);
    std::vector<SwitchId> part;
    for (const SwitchId s : fabric.switches()) {
      if (distance[index(s)] == kFar) continue;
      seen[index(s)] = true;
      part.push_back(s);
      if (s != root) to_parent[index(s)] = ports_nearer(fabric, distance, s).front();
    }
    for (const SwitchId goal : part) {
      // Everywhere to the parent, but on the way from the root to the goal downwards.
      std::vector<PortNum> path = to_parent;
      for (SwitchId s = goal; s != root;) {
        const Peer& parent = fabric.peer(s, to_parent[index(s)]);
        path[parent.id] = parent.port;
        s = parent.as_switch();
      }
      for (const Lid lid : lids[index(goal)])
        for (const SwitchId s : part) tables.set(s, lid, s == goal ? delivery_port(fabric, lid) : path[index(s)]);
    }
  }
  return tables;
}

ForwardingTables route_dmodk(const Fabric& fabric, const PgftSpec& spec) {
  ForwardingTables tables = route_tree(fabric);
  // The generator's GUIDs: 0x0002c90000000000 + l * 2^24 + i for switch i of level l.
  const auto level_of = [&](SwitchId s) { return (index(fabric.at(s).guid) >> 24) & 0xFFFF; };
  std::vector<std::vector<EndportId>> hosts(fabric.num_switches());
  for (const EndportId e : fabric.endports()) hosts[index(fabric.at(e).leaf)].push_back(e);
  for (const SwitchId goal : fabric.switches()) {
    if (hosts[index(goal)].empty()) continue;
    const std::vector<std::size_t> distance = distances_to(fabric, goal);
    for (const SwitchId s : fabric.switches()) {
      if (s == goal) continue;
      // A switch is above the leaf exactly when it is as many links away as it is levels.
      const std::size_t level = level_of(s);
      const bool above = distance[index(s)] == level - 1;
      const std::size_t lower = above ? level - 1 : level;  // the level at which the parallel link was chosen
      std::size_t divider = 1;
      for (std::size_t l = 0; l < lower; ++l) divider *= spec.w[l];
      // Ports: first down, then up, each side by peer, parallel links side by side.
      std::vector<PortNum> candidates;
      for (const PortNum port : ports_nearer(fabric, distance, s))
        if (above || level_of(fabric.peer(s, port).as_switch()) > level) candidates.push_back(port);
      for (const EndportId e : hosts[index(goal)]) {
        const std::size_t q = index(e) / divider % (spec.w[lower] * spec.p[lower]);
        const std::size_t parent = q % spec.w[lower];
        const std::size_t link = q / spec.w[lower];
        tables.set(s, fabric.at(e).lid, candidates.at(above ? link : parent * spec.p[lower] + link));
      }
    }
  }
  return tables;
}

std::vector<EndportId> all_endports(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  return hosts;
}

}  // namespace espalier::test
