// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/group_paths.h"

#include <algorithm>

namespace espalier {
namespace {

// From s; where the path comes to a node again, it goes on from there at once.
GraphPath without_loops(const Digraph& graph, NodeId s, const GraphPath& path) {
  GraphPath kept;
  for (const ArcId a : path) {
    kept.push_back(a);
    const NodeId here = graph.head(a);
    const auto before = std::find_if(kept.begin(), kept.end() - 1, [&](ArcId b) { return graph.head(b) == here; });
    if (here == s)
      kept.clear();
    else if (before != kept.end() - 1)
      kept.erase(before + 1, kept.end());
  }
  return kept;
}

// Arcs within groups, in the order of the whole graph, so that those of both graphs can be matched one by one.
Digraph within_groups(const Digraph& graph, const std::vector<std::uint32_t>& groups, std::vector<ArcId>& numbers) {
  std::vector<Arc> arcs;
  for (const ArcId a : IdRange<ArcId>(graph.num_arcs())) {
    const std::size_t u = index(graph.tail(a)), v = index(graph.head(a));
    if (groups.empty() || groups[u] != groups[v]) continue;
    arcs.emplace_back(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
    numbers.push_back(a);
  }
  return {graph.num_nodes(), std::move(arcs)};
}

}  // namespace

MinimalPaths::MinimalPaths(const Digraph& graph, std::vector<std::uint32_t> groups)
    : graph_(graph),
      groups_(std::move(groups)),
      local_(within_groups(graph, groups_, local_arcs_)),
      everywhere_(graph_),
      within_(local_) {
  if (groups_.empty()) return;
  for (const ArcId a : IdRange<ArcId>(graph.num_arcs())) {
    const std::uint32_t from = groups_[index(graph.tail(a))], to = groups_[index(graph.head(a))];
    if (from != to) links_[{from, to}].push_back(a);
  }
}

std::vector<GraphPath> MinimalPaths::over_one_link(NodeId s, NodeId d) {
  const auto local = [&](NodeId a, NodeId b) {
    std::vector<GraphPath> paths{{}};
    if (a != b) paths = within_.paths(a, b, {});
    for (GraphPath& path : paths)
      for (ArcId& arc : path) arc = local_arcs_[index(arc)];
    return paths;
  };
  if (groups_[index(s)] == groups_[index(d)]) return local(s, d);
  std::vector<GraphPath> found;
  const auto links = links_.find({groups_[index(s)], groups_[index(d)]});
  if (links == links_.end()) return found;
  for (const ArcId link : links->second)
    for (const GraphPath& to : local(s, graph_.tail(link)))
      for (const GraphPath& on : local(graph_.head(link), d)) {
        GraphPath path = to;
        path.push_back(link);
        path.insert(path.end(), on.begin(), on.end());
        found.push_back(std::move(path));
      }
  std::size_t least = SIZE_MAX;
  for (const GraphPath& path : found) least = std::min(least, path.size());
  std::erase_if(found, [&](const GraphPath& path) { return path.size() > least; });
  return found;
}

const std::vector<GraphPath>& MinimalPaths::minimal(NodeId s, NodeId d) {
  const auto [at, is_new] = known_.try_emplace({s, d});
  if (!is_new || s == d) return at->second;
  if (!groups_.empty()) at->second = over_one_link(s, d);
  if (at->second.empty()) at->second = everywhere_.paths(s, d, {});
  return at->second;
}

std::vector<ValiantPath> MinimalPaths::valiant(NodeId s, NodeId d) {
  std::vector<ValiantPath> found;
  std::map<GraphPath, std::size_t> known;  // which of those found
  for (const NodeId middle : graph_.nodes()) {
    if (middle == s || middle == d || minimal(s, middle).empty() || minimal(middle, d).empty()) continue;
    GraphPath path = minimal(s, middle).front();
    const GraphPath& on = minimal(middle, d).front();
    path.insert(path.end(), on.begin(), on.end());
    path = without_loops(graph_, s, path);
    const auto& shortest = minimal(s, d);
    if (std::find(shortest.begin(), shortest.end(), path) != shortest.end()) continue;
    const auto [at, is_new] = known.try_emplace(path, found.size());
    if (is_new) found.push_back({std::move(path), 0});
    ++found[at->second].num_middles;
  }
  return found;
}

}  // namespace espalier
