// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/path_sets.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/number.h"
#include "core/fabric/random_order.h"
#include "core/graphs/gdbg_routing.h"

namespace espalier {
namespace {

// Of equally long candidates those that share the fewest arcs with the chosen ones, one after the other.
void choose_disjoint(std::vector<GraphPath> candidates, std::size_t most, std::vector<GraphPath>& chosen) {
  std::vector<ArcId> used;
  for (const GraphPath& path : chosen) used.insert(used.end(), path.begin(), path.end());
  const auto shared = [&](const GraphPath& path) {
    return std::count_if(path.begin(), path.end(),
                         [&](ArcId a) { return std::count(used.begin(), used.end(), a) > 0; });
  };
  while (chosen.size() < most && !candidates.empty()) {
    const auto best = std::min_element(candidates.begin(), candidates.end(),
                                       [&](const auto& a, const auto& b) { return shared(a) < shared(b); });
    used.insert(used.end(), best->begin(), best->end());
    chosen.push_back(std::move(*best));
    candidates.erase(best);
  }
}

}  // namespace

Result<PathRule> parse_path_rule(std::string_view word) {
  PathRule rule;
  if (word == "min") return rule;
  if (word == "gdbg") {
    rule.kind = PathRule::Kind::kDeBruijn;
    return rule;
  }
  const std::size_t colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? "" : word.substr(colon + 1);
  rule.kind = kind == "ksp" ? PathRule::Kind::kKShortest : PathRule::Kind::kAllUpTo;
  const auto parameter = parse_number<std::uint32_t>(number, 1, 10'000);
  if ((kind != "ksp" && kind != "allpath") || !parameter)
    return fail(fmt::format("\"{}\" is not a set of paths", word), "write min, ksp:K, allpath:H or gdbg");
  rule.parameter = *parameter;
  return rule;
}

Result<PathRule> adapted_to(const Digraph& graph, PathRule rule) {
  if (rule.kind != PathRule::Kind::kDeBruijn) return rule;
  const std::optional<RegularGraph> g = recognize_gdbg(graph);
  if (!g)
    return fail(fmt::format("there are no paths gdbg: the {} switches, in the order of their GUIDs, are no generalized "
                            "de Bruijn graph, in which switch i leads to i r, ..., i r + r - 1 modulo {}",
                            graph.num_nodes(), graph.num_nodes()),
                "use min, ksp:K or allpath:H, or a fabric of espalier generate gdbg");
  rule.parameter = static_cast<std::uint32_t>(g->r);
  return rule;
}

std::vector<GraphPath> PathFinder::of_length(NodeId source, std::uint32_t length, std::size_t most) {
  std::vector<GraphPath> found;
  GraphPath path;
  std::vector<std::size_t> next{0};  // which arc of the node at each depth is tried next
  const auto at = [&] { return path.empty() ? source : graph_.head(path.back()); };
  on_path_[index(source)] = 1;
  while (!next.empty() && found.size() < most) {
    const NodeId here = at();
    const auto heads = graph_.heads(here);
    const std::size_t i = next.back()++;
    if (i < heads.size()) {
      const std::uint32_t left = length - static_cast<std::uint32_t>(path.size()) - 1;
      if (on_path_[index(heads[i])] != 0 || distance_[index(heads[i])] > left) continue;
      if (heads[i] == destination_) {
        if (left > 0) continue;
        path.push_back(graph_.arc(here, i));
        found.push_back(path);
        path.pop_back();
      } else if (left > 0) {
        path.push_back(graph_.arc(here, i));
        on_path_[index(heads[i])] = 1;
        next.push_back(0);
      }
    } else {
      on_path_[index(here)] = 0;
      next.pop_back();
      if (!path.empty()) path.pop_back();
    }
  }
  while (!path.empty()) {
    on_path_[index(at())] = 0;
    path.pop_back();
  }
  on_path_[index(source)] = 0;
  if (found.size() == kMostPaths) left_some_out_ = true;
  return found;
}

std::vector<GraphPath> PathFinder::paths(NodeId source, NodeId destination, const PathRule& rule) {
  if (rule.kind == PathRule::Kind::kDeBruijn)
    return {gdbg_path(graph_, {graph_.num_nodes(), rule.parameter}, source, destination)};
  if (destination_ != destination) distance_ = reversed_.distances(destination);
  destination_ = destination;
  on_path_.assign(graph_.num_nodes(), 0);
  std::vector<GraphPath> chosen;
  const std::uint32_t shortest = distance_[index(source)];
  if (shortest == kUnreachableNode) return chosen;
  if (rule.kind == PathRule::Kind::kShortest) return of_length(source, shortest, kMostPaths);
  const bool all = rule.kind == PathRule::Kind::kAllUpTo;
  const std::uint32_t longest = all ? rule.parameter : shortest + kMostDetour;
  RandomOrder random(rule.seed, fmt::format("ksp {} {}", index(source), index(destination)));
  for (std::uint32_t length = shortest; length <= longest; ++length) {
    const std::size_t wanted = all ? kMostPaths : rule.parameter - chosen.size();
    std::vector<GraphPath> next = of_length(source, length, rule.ties == KspTies::kLex ? wanted : kMostPaths);
    if (!all && rule.ties == KspTies::kEdgeDisjoint) {
      choose_disjoint(std::move(next), rule.parameter, chosen);
    } else {
      if (!all && rule.ties == KspTies::kRandom && next.size() > wanted) next = random.front(std::move(next), wanted);
      chosen.insert(chosen.end(), std::move_iterator(next.begin()), std::move_iterator(next.end()));
    }
    if (!all && chosen.size() >= rule.parameter) break;
  }
  return chosen;
}

}  // namespace espalier
