// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/communities.h"

#include <cmath>
#include <utility>

namespace espalier {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Nodes with weighted edges, each edge at both of its ends. Edges within a node count for its degree alone.
struct WeightedGraph {
  Numbers first;  // per node, and one more
  Numbers to;
  std::vector<double> weight;
  std::vector<double> degree;

  [[nodiscard]] std::size_t size() const { return degree.size(); }
};

WeightedGraph unit_weights(const CablingGraph& graph) {
  WeightedGraph result;
  result.first.push_back(0);
  for (std::size_t s = 0; s < graph.size(); ++s) {
    const std::vector<SwitchId>& neighbors = graph.neighbors(id_at<SwitchId>(s));
    for (const SwitchId t : neighbors) result.to.push_back(static_cast<std::uint32_t>(index(t)));
    result.first.push_back(static_cast<std::uint32_t>(result.to.size()));
    result.degree.push_back(static_cast<double>(neighbors.size()));
  }
  result.weight.assign(result.to.size(), 1);
  return result;
}

// Groups as nodes. REQUIRES: they are numbered from 0 without gaps.
WeightedGraph contracted(const WeightedGraph& graph, const Numbers& group, std::uint32_t num_groups) {
  WeightedGraph result;
  result.degree.assign(num_groups, 0);
  std::vector<Numbers> members(num_groups);
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    members[group[v]].push_back(v);
    result.degree[group[v]] += graph.degree[v];
  }
  result.first.push_back(0);
  std::vector<double> links(num_groups, 0);
  for (std::uint32_t g = 0; g < num_groups; ++g) {
    const std::size_t begin = result.to.size();
    for (const std::uint32_t v : members[g])
      for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        const std::uint32_t other = group[graph.to[i]];
        if (other == g) continue;
        if (links[other] == 0) result.to.push_back(other);
        links[other] += graph.weight[i];
      }
    std::sort(result.to.begin() + static_cast<std::ptrdiff_t>(begin), result.to.end());
    for (std::size_t i = begin; i < result.to.size(); ++i)
      result.weight.push_back(std::exchange(links[result.to[i]], 0));
    result.first.push_back(static_cast<std::uint32_t>(result.to.size()));
  }
  return result;
}

// Moves nodes one by one. REQUIRES: groups have numbers below the number of nodes.
void move_nodes(const WeightedGraph& graph, Numbers& group) {
  constexpr int kMostRounds = 20;
  const double two_m = std::accumulate(graph.degree.begin(), graph.degree.end(), 0.0);
  std::vector<double> degrees(graph.size(), 0);
  for (std::uint32_t v = 0; v < graph.size(); ++v) degrees[group[v]] += graph.degree[v];
  std::vector<double> links(graph.size(), 0);  // to each group
  Numbers near;                                // groups that have some
  bool moved = true;
  for (int round = 0; moved && round < kMostRounds; ++round) {
    moved = false;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      near.clear();
      for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        const std::uint32_t g = group[graph.to[i]];
        if (links[g] == 0) near.push_back(g);
        links[g] += graph.weight[i];
      }
      std::sort(near.begin(), near.end());
      degrees[group[v]] -= graph.degree[v];
      const auto gain = [&](std::uint32_t g, double to_it) { return to_it - graph.degree[v] * degrees[g] / two_m; };
      std::uint32_t best = group[v];
      double best_gain = gain(best, links[best]);
      for (const std::uint32_t g : near)
        if (const double here = gain(g, std::exchange(links[g], 0)); here > best_gain + 1e-9) {
          best = g;
          best_gain = here;
        }
      moved |= best != group[v];
      group[v] = best;
      degrees[best] += graph.degree[v];
    }
  }
}

// Gives groups numbers from 0 without gaps; says how many there are.
std::uint32_t renumber(Numbers& group) {
  constexpr std::uint32_t kNew = ~0U;
  Numbers number(group.size(), kNew);
  std::uint32_t next = 0;
  for (std::uint32_t& g : group) {
    if (number[g] == kNew) number[g] = next++;
    g = number[g];
  }
  return next;
}

Numbers numbers_of(const GroupOfSwitch& group) { return {group.begin(), group.end()}; }

GroupOfSwitch in_one_piece(const CablingGraph& graph, const Numbers& group) {
  return joined_by(graph, [&](std::size_t i) {
    const auto& [a, b] = graph.edges()[i];
    return group[index(a)] == group[index(b)];
  });
}

}  // namespace

double modularity(const CablingGraph& graph, const GroupOfSwitch& group) {
  std::vector<double> within(group.size(), 0);
  std::vector<double> degrees(group.size(), 0);
  for (const auto& [a, b] : graph.edges()) {
    if (group[a] == group[b]) within[group[a]] += 1;
    degrees[group[a]] += 1;
    degrees[group[b]] += 1;
  }
  const auto m = static_cast<double>(graph.edges().size());
  double sum = 0;
  for (std::size_t g = 0; g < within.size(); ++g)
    sum += within[g] / m - (degrees[g] / (2 * m)) * (degrees[g] / (2 * m));
  return sum;
}

double modularity_by_chance(const CablingGraph& graph) {
  const auto n = static_cast<double>(graph.size());
  const double p = 2 * static_cast<double>(graph.edges().size()) / (n * (n - 1));
  return 0.97 * std::sqrt((1 - p) / (p * n));
}

GroupOfSwitch move_switches(const CablingGraph& graph, const GroupOfSwitch& group) {
  Numbers moved = numbers_of(group);
  move_nodes(unit_weights(graph), moved);
  return in_one_piece(graph, moved);
}

GroupOfSwitch join_groups(const CablingGraph& graph, const GroupOfSwitch& group) {
  Numbers joined = numbers_of(group);
  std::uint32_t count = renumber(joined);
  WeightedGraph nodes = contracted(unit_weights(graph), joined, count);
  while (true) {
    Numbers of_node(count);
    std::iota(of_node.begin(), of_node.end(), 0U);
    move_nodes(nodes, of_node);
    const std::uint32_t fewer = renumber(of_node);
    for (std::uint32_t& g : joined) g = of_node[g];
    if (fewer == count) break;
    nodes = contracted(nodes, of_node, fewer);
    count = fewer;
  }
  return move_switches(graph, in_one_piece(graph, joined));
}

}  // namespace espalier
