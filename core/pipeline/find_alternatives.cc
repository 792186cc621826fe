// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/pipeline/find_alternatives.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/soundness/dependencies/alternative_trace.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/ordered_graph.h"
#include "core/base/topological_order.h"
#include "core/tree/costs.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

using Column = std::vector<PortSet>;  // per switch
using Vertex = OrderedGraph::Vertex;
constexpr std::uint32_t kFar = 0xFFFFFFFF;

// LIDs with the same entries at all switches but their own, and the same lanes.
struct LidGroup {
  std::vector<Lid> lids;
  Column entries;  // one port each, as far as it leads to a switch
};

class Search {
 public:
  Search(const FatTree& tree, const Routing& routing)
      : tree_(tree),
        fabric_(tree.fabric()),
        tables_(routing.tables),
        has_lanes_(routing.lanes.has_value()),
        lanes_(routing.lanes.value_or(one_lane(tree.fabric()))),
        costs_(tree),
        tracer_(fabric_, lanes_) {}

  Result<AlternativePorts> run() {
    collect_groups();
    if (!start_graph()) return fail("the tables are not free of deadlocks, so no alternatives were looked for");
    AlternativePorts found(fabric_.num_switches(), fabric_.top_lid());
    for (const LidGroup& group : groups_) write(group, legal_ports(group), found);
    return found;
  }

 private:
  void collect_groups() {
    std::optional<std::uint32_t> class_before;
    for (const LidRange& range : owned_lids(fabric_, tables_.width()))
      for (std::size_t i = range.first; i < range.end; ++i) {
        const Lid lid = id_at<Lid>(i);
        Column entries(fabric_.num_switches());
        for (const SwitchId s : fabric_.switches()) {
          const PortNum port = tables_.at(s, lid);
          if (index(port) <= fabric_.at(s).num_ports && fabric_.peer(s, port).is_switch())
            entries[index(s)].set(index(port));
        }
        const std::uint32_t destination_class = lanes_.levels().destination_class(lid);
        if (groups_.empty() || class_before != destination_class || groups_.back().entries != entries)
          groups_.push_back({{}, std::move(entries)});
        groups_.back().lids.push_back(lid);
        class_before = destination_class;
      }
  }

  [[nodiscard]] Vertex vertex(ChannelId c, std::uint8_t vl) const {
    return static_cast<Vertex>(index(c) * lanes_.num_vls() + vl);
  }

  // The graph of what the tables alone need, in an order that agrees with it; false: it has a cycle.
  bool start_graph() {
    std::vector<std::vector<Vertex>> steps(fabric_.num_channels() * lanes_.num_vls());  // per virtual channel
    for (const LidGroup& group : groups_) {
      const AlternativeTrace::Result& found = tracer_.trace(group.lids.front(), group.entries);
      if (found.may_loop) return false;
      for (const VirtualStep& step : found.steps) {
        std::vector<Vertex>& known = steps[vertex(step.from, step.vl)];
        const Vertex to = vertex(step.to, step.next_vl);
        if (std::find(known.begin(), known.end(), to) == known.end()) known.push_back(to);
      }
    }
    std::vector<std::uint32_t> in_degree;
    std::vector<Vertex> order;
    const auto for_each_next = [&](Vertex v, auto&& visit) { std::for_each(steps[v].begin(), steps[v].end(), visit); };
    sort_topologically(steps.size(), for_each_next, in_degree, order);
    if (order.size() != steps.size()) return false;
    graph_.emplace(order);
    for (Vertex v = 0; v < steps.size(); ++v)
      for (const Vertex next : steps[v]) (void)graph_->add(v, next);
    return true;
  }

  // The entries, and what leads nearer as well, whether legal or not.
  [[nodiscard]] Column candidates(const LidGroup& group) const {
    const SwitchId to = fabric_.destination_switch(group.lids.front());
    Column ports = group.entries;
    if (to == kNoSwitch) return ports;
    const std::vector<std::uint32_t> hops = hops_of(group);
    for (const SwitchId s : fabric_.switches()) {
      if (s == to || hops[index(s)] == kFar) continue;
      PortSet on_tree;
      if (costs_.cost(s, to) != kUnreachable)
        for (const PortNum port : alternative_ports(tree_, costs_, s, to)) on_tree.set(index(port));
      const bool goes_by_tree = (on_tree & group.entries[index(s)]).any();
      if (!goes_by_tree && !has_lanes_) continue;
      for (const PortNum p : fabric_.ports(s)) {
        const Peer& peer = fabric_.peer(s, p);
        if (!peer.is_switch() || hops[peer.id] == kFar || hops[peer.id] + 1 != hops[index(s)]) continue;
        if (has_lanes_ || on_tree[index(p)]) ports[index(s)].set(index(p));
      }
    }
    return ports;
  }

  // By the tables.
  [[nodiscard]] std::vector<std::uint32_t> hops_of(const LidGroup& group) const {
    std::vector<std::uint32_t> hops(fabric_.num_switches(), kFar);
    hops[index(fabric_.destination_switch(group.lids.front()))] = 0;
    std::vector<SwitchId> path;
    for (const SwitchId s : fabric_.switches()) {
      path.clear();
      SwitchId at = s;
      while (hops[index(at)] == kFar && path.size() <= fabric_.num_switches()) {
        const PortNum port = tables_.at(at, group.lids.front());
        if (index(port) > fabric_.at(at).num_ports || !fabric_.peer(at, port).is_switch()) break;
        path.push_back(at);
        at = fabric_.peer(at, port).as_switch();
      }
      if (hops[index(at)] == kFar) continue;
      for (std::uint32_t h = hops[index(at)]; !path.empty(); path.pop_back()) hops[index(path.back())] = ++h;
    }
    return hops;
  }

  // Leaves out one port after the other until all steps fit into the graph, where they then are.
  Column legal_ports(const LidGroup& group) {
    Column ports = candidates(group);
    while (ports != group.entries) {
      Column fewer = ports;
      if (fits(group, ports, &fewer)) return ports;
      if (fewer == ports) return one_by_one(group, ports);
      ports = std::move(fewer);
    }
    return group.entries;
  }

  // Where no single port is to blame: switch by switch.
  Column one_by_one(const LidGroup& group, const Column& wanted) {
    Column ports = group.entries;
    for (std::size_t s = 0; s < ports.size(); ++s) {
      if (wanted[s] == group.entries[s]) continue;
      ports[s] = wanted[s];
      if (!fits(group, ports, nullptr)) ports[s] = group.entries[s];
    }
    return ports;
  }

  // Whether the graph has room for all steps; then they are in it. Else `fewer`, if given, loses the ports to blame.
  bool fits(const LidGroup& group, const Column& ports, Column* fewer) {
    const AlternativeTrace::Result& found = tracer_.trace(group.lids.front(), ports);
    if (found.may_loop || found.discarded_at != kNoSwitch) return false;
    std::vector<std::pair<Vertex, Vertex>> added;
    bool all = true;
    for (const VirtualStep& step : found.steps) {
      if (add(step, added)) continue;
      all = false;
      if (fewer == nullptr) break;
      if (!leave_out(group, step.to, *fewer)) (void)leave_out(group, step.from, *fewer);
    }
    if (all) return true;
    for (; !added.empty(); added.pop_back()) graph_->remove(added.back().first, added.back().second);
    return false;
  }

  bool add(const VirtualStep& step, std::vector<std::pair<Vertex, Vertex>>& added) {
    const Vertex from = vertex(step.from, step.vl);
    const Vertex to = vertex(step.to, step.next_vl);
    if (graph_->has(from, to)) return true;
    if (!graph_->add(from, to)) return false;
    added.emplace_back(from, to);
    return true;
  }

  // False: it is the table's own.
  bool leave_out(const LidGroup& group, ChannelId channel, Column& ports) const {
    const std::size_t s = index(fabric_.source(channel));
    const std::size_t port = index(fabric_.port(channel));
    if (group.entries[s][port]) return false;
    ports[s].reset(port);
    return true;
  }

  void write(const LidGroup& group, const Column& ports, AlternativePorts& found) const {
    for (const Lid lid : group.lids)
      for (const SwitchId s : fabric_.switches()) {
        PortSet all = ports[index(s)];
        if (const PortNum entry = tables_.at(s, lid); entry != kNoPort) all.set(index(entry));
        found.set(s, lid, all);
      }
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  const ForwardingTables& tables_;
  bool has_lanes_;
  Lanes lanes_;
  UpDownCosts costs_;
  AlternativeTrace tracer_;
  std::vector<LidGroup> groups_;
  std::optional<OrderedGraph> graph_;
};

}  // namespace

Result<AlternativePorts> find_alternatives(const FatTree& tree, const Routing& routing) {
  return Search(tree, routing).run();
}

}  // namespace espalier
