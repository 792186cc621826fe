// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/fabric_paths.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/routes/walk.h"
#include "core/throughput/group_paths.h"

namespace espalier {
namespace {

double unit_of(const Fabric& fabric) {
  std::uint32_t fastest = 0;
  for (const EndportId e : fabric.endports())
    if (const Endport& host = fabric.at(e); host.leaf != kNoSwitch)
      fastest = std::max(fastest, fabric.rate(host.leaf, host.leaf_port).mbps());
  return fastest;
}

double capacity_of(LinkRate rate, double unit) { return unit == 0 || rate.mbps() == 0 ? 1 : rate.mbps() / unit; }

// Resources of the hosts' links, behind `first` others: rank r sends on first + 2 r and receives on first + 2 r + 1.
struct HostLinks {
  std::uint32_t first = 0;
  [[nodiscard]] std::uint32_t out(std::uint32_t rank) const { return first + 2 * rank; }
  [[nodiscard]] std::uint32_t in(std::uint32_t rank) const { return first + 2 * rank + 1; }
};

HostLinks add_host_links(const Fabric& fabric, std::span<const EndportId> hosts, double unit, PathProblem& problem) {
  const HostLinks links{static_cast<std::uint32_t>(problem.capacity.size())};
  for (const EndportId e : hosts)
    problem.capacity.insert(problem.capacity.end(), 2,
                            capacity_of(fabric.rate(fabric.at(e).leaf, fabric.at(e).leaf_port), unit));
  return links;
}

NodeId node_of(SwitchId s) { return id_at<NodeId>(index(s)); }

// One arc for each pair of neighbors, and the capacity of all their links.
Digraph neighbors(const Fabric& fabric, double unit, std::vector<double>& capacity) {
  std::map<Arc, double> sums;
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (const Peer& peer = fabric.peer(c); peer.is_switch())
      sums[{static_cast<std::uint32_t>(fabric.source(c)), peer.id}] +=
          capacity_of(fabric.rate(fabric.source(c), fabric.port(c)), unit);
  std::vector<Arc> arcs;
  for (const auto& [arc, sum] : sums) {
    arcs.push_back(arc);
    capacity.push_back(sum);
  }
  return {fabric.num_switches(), std::move(arcs)};
}

}  // namespace

PathProblem fabric_paths(const Fabric& fabric, std::span<const EndportId> hosts, std::span<const Flow> flows,
                         const FabricPathRule& rule, Progress* progress) {
  PathProblem problem;
  const double unit = unit_of(fabric);
  const Digraph graph = neighbors(fabric, unit, problem.capacity);
  for (std::size_t a = 0; a < graph.num_arcs(); ++a)
    problem.heads.push_back(static_cast<std::uint32_t>(graph.head(id_at<ArcId>(a))));
  const HostLinks links = add_host_links(fabric, hosts, unit, problem);
  MinimalPaths minimal(graph, rule.groups);
  PathFinder finder(graph);
  begin(progress, flows.size());
  for (const Flow& flow : flows) {
    const NodeId s = node_of(fabric.at(hosts[flow.source]).leaf), d = node_of(fabric.at(hosts[flow.destination]).leaf);
    const auto add = [&](const GraphPath& path, std::uint32_t weight = 0) {
      problem.detours.push_back(weight);
      problem.add_step(links.out(flow.source));
      for (const ArcId a : path) problem.add_step(static_cast<std::uint32_t>(a));
      problem.add_step(links.in(flow.destination));
      problem.end_path();
    };
    if (flow.source != flow.destination && s == d) {
      add({});
    } else if (flow.source != flow.destination) {
      const std::vector<GraphPath> paths =
          rule.rule.kind == PathRule::Kind::kShortest ? minimal.minimal(s, d) : finder.paths(s, d, rule.rule);
      for (const GraphPath& path : paths) add(path);
      if (rule.valiant) {
        const std::set<GraphPath> known(paths.begin(), paths.end());
        for (const ValiantPath& valiant : minimal.valiant(s, d))
          if (!known.contains(valiant.path)) add(valiant.path, valiant.num_middles);
      }
    }
    problem.end_flow(flow.weight);
    advance(progress);
  }
  problem.left_some_out = finder.left_some_out() || minimal.left_some_out();
  return problem;
}

PathProblem table_paths(const Fabric& fabric, const ForwardingTables& tables, std::span<const EndportId> hosts,
                        std::span<const Flow> flows) {
  PathProblem problem;
  const double unit = unit_of(fabric);
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    problem.capacity.push_back(capacity_of(fabric.rate(fabric.source(c), fabric.port(c)), unit));
  const HostLinks links = add_host_links(fabric, hosts, unit, problem);
  for (const Flow& flow : flows) {
    const Endport& to = fabric.at(hosts[flow.destination]);
    std::set<std::vector<ChannelId>> seen;
    std::size_t shortest = fabric.num_switches();  // so far: offset 0 is minimal
    for (std::size_t k = 0; flow.source != flow.destination && k < std::size_t{1} << to.lmc; ++k) {
      const Walk path = walk(fabric, tables, fabric.at(hosts[flow.source]).leaf, lid_at_offset(to.lid, k));
      if (path.outcome != Step::Kind::kDelivered || !seen.insert(path.channels).second) continue;
      problem.offsets.push_back(static_cast<std::uint8_t>(k));
      problem.detours.push_back(k > 0 && path.channels.size() > shortest ? 1 : 0);
      shortest = std::min(shortest, path.channels.size());
      problem.add_step(links.out(flow.source));
      for (const ChannelId c : path.channels) problem.add_step(static_cast<std::uint32_t>(c));
      problem.add_step(links.in(flow.destination));
      problem.end_path();
    }
    problem.end_flow(flow.weight);
  }
  return problem;
}

}  // namespace espalier
