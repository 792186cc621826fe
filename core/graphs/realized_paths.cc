// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/realized_paths.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/graphs/path_sets.h"

namespace espalier {
namespace {

using Path = std::vector<ChannelId>;

// Whether the packet arrives.
bool follow(const Fabric& fabric, const ForwardingTables& tables, SwitchId at, SwitchId to, Lid lid, Path& path) {
  path.clear();
  while (at != to && path.size() < fabric.num_switches()) {
    const PortNum port = tables.at(at, lid);
    if (index(port) > fabric.at(at).num_ports || !fabric.peer(at, port).is_switch()) return false;
    path.push_back(fabric.channel(at, port));
    at = fabric.peer(at, port).as_switch();
  }
  return at == to;
}

// Lengths of the k shortest paths, ascending; they are as many as there are.
std::vector<std::size_t> shortest_lengths(PathFinder& finder, SwitchId from, SwitchId to, std::uint32_t k) {
  std::vector<std::size_t> lengths;
  PathRule rule{.kind = PathRule::Kind::kKShortest, .parameter = k, .ties = KspTies::kLex};
  for (const GraphPath& path : finder.paths(id_at<NodeId>(index(from)), id_at<NodeId>(index(to)), rule))
    lengths.push_back(path.size());
  return lengths;
}

}  // namespace

RealizedPaths realized_paths(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts,
                             std::uint64_t most_pairs) {
  RealizedPaths result;
  std::map<SwitchId, Lid> lid_at;  // one host for each switch
  for (const EndportId e : hosts) {
    const std::uint32_t lids = 1U << fabric.at(e).lmc;
    result.k = result.k == 0 ? lids : std::min(result.k, lids);
    lid_at.try_emplace(fabric.at(e).leaf, fabric.at(e).lid);
  }
  const std::vector<std::pair<SwitchId, Lid>> ends(lid_at.begin(), lid_at.end());
  const std::uint64_t all = static_cast<std::uint64_t>(ends.size()) * ends.size();
  const std::uint64_t step = std::max<std::uint64_t>(1, all / std::max<std::uint64_t>(1, most_pairs));

  const Digraph graph = digraph_of(fabric);
  PathFinder finder(graph);
  Path path;
  for (std::uint64_t i = 0; i < all; i += step) {
    const auto& [to, lid] = ends[i / ends.size()];
    const SwitchId from = ends[i % ends.size()].first;
    if (from == to) continue;
    std::set<Path> paths;
    for (const Lid dlid : IdRange<Lid>(lid, result.k))
      if (follow(fabric, tables, from, to, dlid, path)) paths.insert(path);
    const std::vector<std::size_t> lengths = shortest_lengths(finder, from, to, result.k);
    ++result.pairs;
    result.distinct += paths.size();
    result.requested += lengths.size();
    if (lengths.empty()) continue;
    // All that are shorter than the last one are among the k; of those as long as it, as many as are left.
    const std::size_t last = lengths.back();
    const auto as_long = static_cast<std::uint64_t>(std::count(lengths.begin(), lengths.end(), last));
    std::uint64_t shorter = 0;
    std::uint64_t equal = 0;
    for (const Path& w : paths) {
      shorter += w.size() < last ? 1 : 0;
      equal += w.size() == last ? 1 : 0;
    }
    result.realized += shorter + std::min(equal, as_long);
  }
  return result;
}

}  // namespace espalier
