// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/engines/slow_dmodc.h"

#include <algorithm>
#include <map>

namespace espalier::test {
namespace {

constexpr unsigned kInfinity = 1000;

struct Neighbors {
  std::map<SwitchId, std::vector<PortNum>> up;  // by far switch, ports by far port
  std::map<SwitchId, std::vector<PortNum>> down;
};

Neighbors neighbors(const FatTree& tree, SwitchId s) {
  const Fabric& fabric = tree.fabric();
  std::map<SwitchId, std::map<PortNum, PortNum>> by_far_port;
  for (unsigned p = 1; p <= fabric.at(s).num_ports; ++p) {
    const Peer peer = fabric.peer(s, id_at<PortNum>(p));
    if (peer.is_switch()) by_far_port[peer.as_switch()][peer.port] = id_at<PortNum>(p);
  }
  Neighbors result;
  for (const auto& [far, ports] : by_far_port)
    for (const auto& [far_port, port] : ports)
      (tree.level(far) > tree.level(s) ? result.up : result.down)[far].push_back(port);
  return result;
}

// Algorithm 5, lines 1-17, for one leaf: fewest hops to `leaf`, first up-propagated, then down-propagated.
std::map<SwitchId, unsigned> costs_to(const FatTree& tree, SwitchId leaf) {
  std::map<SwitchId, unsigned> cost;
  for (const SwitchId s : tree.fabric().switches()) cost[s] = kInfinity;
  cost[leaf] = 0;
  for (std::size_t level = 0; level < tree.num_levels(); ++level)
    for (const SwitchId s : tree.fabric().switches())
      if (index(tree.level(s)) == level)
        for (const auto& [above, ports] : neighbors(tree, s).up) cost[above] = std::min(cost[above], cost[s] + 1);
  for (std::size_t level = tree.num_levels(); level-- > 0;)
    for (const SwitchId s : tree.fabric().switches())
      if (index(tree.level(s)) == level && !neighbors(tree, s).down.empty())
        for (const auto& [below, ports] : neighbors(tree, s).down) cost[below] = std::min(cost[below], cost[s] + 1);
  return cost;
}

// The largest product of up-arities over all ways up to s.
unsigned divider(const FatTree& tree, SwitchId s) {
  unsigned largest = 1;
  for (const auto& [below, ports] : neighbors(tree, s).down)
    largest = std::max(largest, divider(tree, below) * static_cast<unsigned>(neighbors(tree, below).up.size()));
  return largest;
}

// Algorithm 7 to the letter: the lowest leaf that is left, then all at the least cost from it, by GUID, without gaps.
std::vector<EndportId> topological_nids(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::map<SwitchId, std::map<PortNum, EndportId>> on_leaf;
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch) on_leaf[fabric.at(e).leaf][fabric.at(e).leaf_port] = e;
  std::vector<SwitchId> left;
  for (const auto& [leaf, nodes] : on_leaf) left.push_back(leaf);
  std::vector<EndportId> nids;
  while (!left.empty()) {
    auto cost = costs_to(tree, left.front());
    unsigned nearest = kInfinity;
    for (const SwitchId other : left)
      if (other != left.front()) nearest = std::min(nearest, cost[other]);
    const SwitchId first = left.front();
    std::erase_if(left, [&](SwitchId leaf) {
      if (leaf != first && cost[leaf] != nearest) return false;
      for (const auto& [port, node] : on_leaf[leaf]) nids.push_back(node);
      return true;
    });
  }
  return nids;
}

}  // namespace

ForwardingTables slow_dmodc(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  const std::vector<EndportId> hosts = topological_nids(tree);
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  std::map<SwitchId, std::map<SwitchId, unsigned>> cost_to;
  for (std::size_t t = 0; t < hosts.size(); ++t) {
    const Endport& host = fabric.at(hosts[t]);
    if (!cost_to.contains(host.leaf)) cost_to[host.leaf] = costs_to(tree, host.leaf);
    auto& cost = cost_to[host.leaf];
    tables.set(host.leaf, host.lid, host.leaf_port);
    for (const SwitchId s : fabric.switches()) {
      if (s == host.leaf || cost[s] >= kInfinity) continue;
      std::vector<std::vector<PortNum>> closer;  // (4.5)
      std::map<SwitchId, std::vector<PortNum>> groups = neighbors(tree, s).up;
      groups.merge(neighbors(tree, s).down);
      for (const auto& [far, ports] : groups)
        if (cost[far] < cost[s]) closer.push_back(ports);
      const std::size_t pi = divider(tree, s);
      const auto& group = closer[t / pi % closer.size()];                       // (4.7)
      tables.set(s, host.lid, group[t / (pi * closer.size()) % group.size()]);  // (4.8)
    }
  }
  return tables;
}

}  // namespace espalier::test
