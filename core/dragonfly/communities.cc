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

// Moves nodes one by one.
class NodeMoves {
 public:
  // REQUIRES: groups have numbers below the number of nodes.
  NodeMoves(const WeightedGraph& graph, Numbers& group)
      : graph_(graph),
        group_(group),
        two_m_(std::accumulate(graph.degree.begin(), graph.degree.end(), 0.0)),
        degrees_(graph.size(), 0),
        links_(graph.size(), 0) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) degrees_[group[v]] += graph.degree[v];
  }

  void run() {
    constexpr int kMostRounds = 20;
    bool moved = true;
    for (int round = 0; moved && round < kMostRounds; ++round) {
      moved = false;
      for (std::uint32_t v = 0; v < graph_.size(); ++v) moved |= move(v);
    }
  }

 private:
  static constexpr double kLeastGain = 1e-9;  // that a node moves for
  struct Candidate {
    std::uint32_t group;
    double gain;
  };

  bool move(std::uint32_t v) {
    near_.clear();
    for (std::uint32_t i = graph_.first[v]; i < graph_.first[v + 1]; ++i) {
      const std::uint32_t g = group_[graph_.to[i]];
      if (links_[g] == 0) near_.push_back({g, 0});
      links_[g] += graph_.weight[i];
    }
    const std::uint32_t own = group_[v];
    degrees_[own] -= graph_.degree[v];
    const double stay = gain(v, own);
    for (Candidate& candidate : near_) {
      candidate.gain = gain(v, candidate.group);
      links_[candidate.group] = 0;
    }
    group_[v] = best({own, stay});
    degrees_[group_[v]] += graph_.degree[v];
    return group_[v] != own;
  }

  [[nodiscard]] double gain(std::uint32_t v, std::uint32_t g) const {
    return links_[g] - graph_.degree[v] * degrees_[g] / two_m_;
  }

  // Of the groups that are near in ascending order, one after the other that is better than those before. In most cases this
  // is the best of them, the first if several are just as good, and no order is needed.
  std::uint32_t best(Candidate so_far) {
    double most = so_far.gain;
    for (const Candidate& candidate : near_) most = std::max(most, candidate.gain);
    if (most <= so_far.gain + kLeastGain) return so_far.group;
    std::uint32_t first = ~0U;
    for (const Candidate& candidate : near_) {
      if (candidate.gain == most)
        first = std::min(first, candidate.group);
      else if (candidate.gain > most - 2 * kLeastGain)
        return best_in_order(so_far);
    }
    return first;
  }

  std::uint32_t best_in_order(Candidate so_far) {
    std::sort(near_.begin(), near_.end(), [](const auto& a, const auto& b) { return a.group < b.group; });
    for (const Candidate& candidate : near_)
      if (candidate.gain > so_far.gain + kLeastGain) so_far = candidate;
    return so_far.group;
  }

  const WeightedGraph& graph_;
  Numbers& group_;
  double two_m_;
  std::vector<double> degrees_;  // of each group
  std::vector<double> links_;    // to each group
  std::vector<Candidate> near_;  // groups that have some
};

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
  NodeMoves(unit_weights(graph), moved).run();
  return in_one_piece(graph, moved);
}

GroupOfSwitch join_groups(const CablingGraph& graph, const GroupOfSwitch& group) {
  Numbers joined = numbers_of(group);
  std::uint32_t count = renumber(joined);
  WeightedGraph nodes = contracted(unit_weights(graph), joined, count);
  while (true) {
    Numbers of_node(count);
    std::iota(of_node.begin(), of_node.end(), 0U);
    NodeMoves(nodes, of_node).run();
    const std::uint32_t fewer = renumber(of_node);
    for (std::uint32_t& g : joined) g = of_node[g];
    if (fewer == count) break;
    nodes = contracted(nodes, of_node, fewer);
    count = fewer;
  }
  return move_switches(graph, in_one_piece(graph, joined));
}

}  // namespace espalier
