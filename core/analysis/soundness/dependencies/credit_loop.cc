// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/credit_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>
#include <utility>

#include "core/analysis/soundness/dependencies/lane_trace.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"

namespace espalier {
namespace {

using Vertex = std::uint32_t;
using DependencyGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                           boost::no_property, Vertex, Vertex>;
constexpr std::size_t kMaxStarts = 32;
constexpr Vertex kNone = 0xFFFFFFFF;

// A bit for each virtual channel.
class ChannelBits {
 public:
  explicit ChannelBits(std::size_t num_channels) : words_(num_channels / 64 + 2, 0) {}

  [[nodiscard]] bool has(std::size_t v) const { return (words_[v / 64] >> (v % 64) & 1U) != 0; }
  void set(std::size_t v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void clear(std::size_t v) { words_[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }
  // The 64 bits from `first` on.
  [[nodiscard]] std::uint64_t from(std::size_t first) const {
    const std::uint64_t* const word = words_.data() + first / 64;
    return first % 64 == 0 ? *word : word[0] >> (first % 64) | word[1] << (64 - first % 64);
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Depth-first search for a channel that leads back to the path to it. The successors of a channel are neighbors in
// number, so that 64 of them at a time are compared with the path and with what was visited.
class BackEdgeSearch {
 public:
  explicit BackEdgeSearch(const ChannelDependencies& graph)
      : graph_(graph), visited_(graph.num_virtual_channels()), on_path_(graph.num_virtual_channels()) {}

  [[nodiscard]] bool finds_one() {
    for (std::size_t v = 0; v < graph_.num_virtual_channels(); ++v)
      if (!visited_.has(v) && finds_one_from(v)) return true;
    return false;
  }

 private:
  [[nodiscard]] bool finds_one_from(std::size_t start) {
    enter(start);
    while (!path_.empty()) {
      const ChannelDependencies::Successors next = graph_.successors(id_at<VirtualChannelId>(path_.back()));
      std::uint64_t unvisited = 0;
      std::size_t first = next.first;
      for (const std::uint64_t word : next.words) {
        if (word != 0) {
          if ((word & on_path_.from(first)) != 0) return true;
          unvisited = word & ~visited_.from(first);
          if (unvisited != 0) break;
        }
        first += 64;
      }
      if (unvisited != 0) {
        enter(first + static_cast<std::size_t>(std::countr_zero(unvisited)));
        continue;
      }
      on_path_.clear(path_.back());
      path_.pop_back();
    }
    return false;
  }

  void enter(std::size_t v) {
    path_.push_back(v);
    visited_.set(v);
    on_path_.set(v);
  }

  const ChannelDependencies& graph_;
  ChannelBits visited_;
  ChannelBits on_path_;
  std::vector<std::size_t> path_;
};

DependencyGraph boost_graph(const ChannelDependencies& dependencies) {
  std::vector<std::pair<Vertex, Vertex>> edges;
  const auto num_vertices = static_cast<Vertex>(dependencies.num_virtual_channels());
  for (Vertex v = 0; v < num_vertices; ++v)
    dependencies.for_each_next(id_at<VirtualChannelId>(v),
                               [&](VirtualChannelId next) { edges.emplace_back(v, static_cast<Vertex>(index(next))); });
  return DependencyGraph(boost::edges_are_sorted, edges.begin(), edges.end(), num_vertices);
}

// The strongly connected component of each vertex.
std::vector<Vertex> components(const DependencyGraph& graph) {
  std::vector<Vertex> component(boost::num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  return component;
}

// The vertices from `start` around to `start` again on a shortest path; empty when it takes `limit` steps or more.
std::vector<Vertex> shortest_round(const DependencyGraph& graph, const std::vector<Vertex>& component, Vertex start,
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

std::vector<VirtualChannelId> find_virtual_credit_loop(const ChannelDependencies& dependencies) {
  if (!has_credit_loop(dependencies)) return {};
  const DependencyGraph graph = boost_graph(dependencies);
  const std::vector<Vertex> component = components(graph);
  const std::size_t num_vertices = component.size();

  std::vector<std::size_t> size(num_vertices, 0);
  for (const Vertex k : component) ++size[k];
  std::vector<Vertex> best;
  std::vector<Vertex> came_from(num_vertices);
  std::size_t starts = 0;
  for (Vertex v = 0; v < num_vertices && starts < kMaxStarts; ++v) {
    const bool on_cycle = size[component[v]] > 1 || boost::edge(v, v, graph).second;
    if (!on_cycle) continue;
    ++starts;
    std::vector<Vertex> round =
        shortest_round(graph, component, v, best.empty() ? num_vertices + 1 : best.size(), came_from);
    if (!round.empty()) best = std::move(round);
  }

  std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
  std::vector<VirtualChannelId> loop;
  loop.reserve(best.size());
  for (const Vertex v : best) loop.push_back(id_at<VirtualChannelId>(v));
  return loop;
}

bool has_credit_loop(const ChannelDependencies& graph) { return BackEdgeSearch(graph).finds_one(); }

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
