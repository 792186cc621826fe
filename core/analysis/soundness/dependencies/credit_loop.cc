// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/credit_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>
#include <utility>

#include "core/analysis/soundness/dependencies/lane_trace.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/topological_order.h"

namespace espalier {
namespace {

using Vertex = std::uint32_t;
using CoreGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                     boost::no_property, Vertex, Vertex>;
constexpr std::size_t kMaxStarts = 32;
constexpr Vertex kNone = 0xFFFFFFFF;

// The channels that Kahn's algorithm cannot take away, ascending.
std::vector<VirtualChannelId> peel(const ChannelDependencies& graph) {
  const std::size_t n = graph.num_virtual_channels();
  std::vector<std::uint16_t> in_degree;  // a predecessor per port and VL: at most 254 * 15
  std::vector<VirtualChannelId> order;
  sort_topologically(
      n, [&](VirtualChannelId c, auto&& visit) { graph.for_each_next(c, visit); }, in_degree, order);
  std::vector<VirtualChannelId> left;
  left.reserve(n - order.size());
  for (std::size_t c = 0; order.size() < n && c < n; ++c)
    if (in_degree[c] != 0) left.push_back(id_at<VirtualChannelId>(c));
  return left;
}

// The subgraph of `left`; vertex i is left[i].
CoreGraph subgraph(const ChannelDependencies& graph, const std::vector<VirtualChannelId>& left) {
  std::vector<Vertex> vertex_of(graph.num_virtual_channels(), kNone);
  for (Vertex v = 0; v < left.size(); ++v) vertex_of[index(left[v])] = v;
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 0; v < left.size(); ++v)
    graph.for_each_next(left[v], [&](VirtualChannelId next) {
      if (vertex_of[index(next)] != kNone) edges.emplace_back(v, vertex_of[index(next)]);
    });
  return CoreGraph(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<Vertex>(left.size()));
}

// The strongly connected component of each vertex.
std::vector<Vertex> components(const CoreGraph& graph) {
  std::vector<Vertex> component(boost::num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  return component;
}

// The vertices from `start` around to `start` again on a shortest path; empty when it takes `limit` steps or more.
std::vector<Vertex> shortest_round(const CoreGraph& graph, const std::vector<Vertex>& component, Vertex start,
                                   std::size_t limit, std::vector<Vertex>& came_from) {
  std::fill(came_from.begin(), came_from.end(), kNone);
  std::vector<Vertex> frontier{start};
  std::vector<Vertex> following;
  for (std::size_t steps = 1; steps < limit && !frontier.empty(); ++steps) {
    following.clear();
    for (const Vertex v : frontier) {
      const auto range = boost::adjacent_vertices(v, graph);
      for (auto it = range.first; it != range.second; ++it) {
        const Vertex next = *it;
        if (next == start) {
          std::vector<Vertex> round;
          for (Vertex back = v; back != start; back = came_from[back]) round.push_back(back);
          round.push_back(start);
          std::reverse(round.begin(), round.end());
          return round;
        }
        if (component[next] != component[start] || came_from[next] != kNone) continue;
        came_from[next] = v;
        following.push_back(next);
      }
    }
    frontier.swap(following);
  }
  return {};
}

}  // namespace

std::vector<VirtualChannelId> find_virtual_credit_loop(const ChannelDependencies& graph) {
  const std::vector<VirtualChannelId> left = peel(graph);
  if (left.empty()) return {};
  const CoreGraph core = subgraph(graph, left);
  const std::vector<Vertex> component = components(core);

  std::vector<std::size_t> size(left.size(), 0);
  for (const Vertex k : component) ++size[k];
  std::vector<Vertex> best;
  std::vector<Vertex> came_from(left.size());
  std::size_t starts = 0;
  for (Vertex v = 0; v < left.size() && starts < kMaxStarts; ++v) {
    const bool on_cycle = size[component[v]] > 1 || boost::edge(v, v, core).second;
    if (!on_cycle) continue;
    ++starts;
    std::vector<Vertex> round =
        shortest_round(core, component, v, best.empty() ? left.size() + 1 : best.size(), came_from);
    if (!round.empty()) best = std::move(round);
  }

  std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
  std::vector<VirtualChannelId> loop;
  loop.reserve(best.size());
  for (const Vertex v : best) loop.push_back(left[v]);
  return loop;
}

bool has_credit_loop(const ChannelDependencies& graph) { return !peel(graph).empty(); }

std::vector<ChannelId> find_credit_loop(const ChannelDependencies& graph) {
  std::vector<ChannelId> loop;
  for (const VirtualChannelId v : find_virtual_credit_loop(graph)) loop.push_back(graph.channel(v));
  return loop;
}

Lid example_lid(const Fabric& fabric, const ForwardingTables& tables, ChannelId from, ChannelId to) {
  const SwitchId s = fabric.source(from);
  const SwitchId next = fabric.source(to);
  if (!fabric.peer(from).is_switch() || fabric.peer(from).as_switch() != next) return kNoLid;
  for (const LidRange& range : owned_lids(fabric, tables.width()))
    for (std::size_t lid = range.first; lid < range.end; ++lid)
      if (tables.at(s, id_at<Lid>(lid)) == fabric.port(from) && tables.at(next, id_at<Lid>(lid)) == fabric.port(to))
        return id_at<Lid>(lid);
  return kNoLid;
}

std::string describe_credit_loop(const Fabric& fabric, const ForwardingTables& tables,
                                 const std::vector<ChannelId>& loop) {
  std::string text;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const ChannelId c = loop[i];
    const ChannelId next = loop[(i + 1) % loop.size()];
    const Peer& peer = fabric.peer(c);
    fmt::format_to(std::back_inserter(text), "{} port {} -> {} port {}, which sends LID {} on by port {}\n",
                   fabric.label(fabric.source(c)), index(fabric.port(c)), fabric.label(peer.as_switch()),
                   index(peer.port), index(example_lid(fabric, tables, c, next)), index(fabric.port(next)));
  }
  return text;
}

std::string describe_credit_loop(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                                 const std::vector<ChannelId>& loop, const std::vector<std::uint8_t>& vls) {
  struct Example {
    Lid lid = kNoLid;
    std::uint8_t sl = 0;
  };
  std::vector<Example> examples(loop.size());
  const LaneTrace tracer(fabric, lanes, nullptr);
  LaneTrace::Scratch scratch;
  for (const LidRange& range : owned_lids(fabric, tables.width()))
    for (std::size_t i = range.first; i < range.end; ++i) {
      const Lid lid = id_at<Lid>(i);
      tracer.read_column(tables, lid, scratch.ports);
      const auto note = [&](const LaneStep& step) {
        for (std::size_t k = 0; k < loop.size(); ++k) {
          const std::size_t next = (k + 1) % loop.size();
          if (examples[k].lid == kNoLid && loop[k] == step.from && vls[k] == step.vl &&
              fabric.port(loop[next]) == step.port && vls[next] == step.next_vl)
            examples[k] = {lid, step.sl};
        }
      };
      tracer.trace(lid, scratch, note, [](SwitchId, PortNum, std::uint8_t) {});
      if (std::none_of(examples.begin(), examples.end(), [](const Example& e) { return e.lid == kNoLid; })) break;
    }
  std::string text;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const ChannelId c = loop[i];
    const Peer& peer = fabric.peer(c);
    fmt::format_to(std::back_inserter(text),
                   "{} port {} VL {} -> {} port {}, which sends LID {} with SL {} on by port {}\n",
                   fabric.label(fabric.source(c)), index(fabric.port(c)), unsigned{vls[i]},
                   fabric.label(peer.as_switch()), index(peer.port), index(examples[i].lid), unsigned{examples[i].sl},
                   index(fabric.port(loop[(i + 1) % loop.size()])));
  }
  return text;
}

}  // namespace espalier
