// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/metrics.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/fabric/random_order.h"

namespace espalier {
namespace {

// All simple paths of at most h arcs from one node: visit(path) on the way, as long as that says true.
template <class Visit>
class EveryPath {
 public:
  EveryPath(const Digraph& graph, std::uint32_t h, Visit visit)
      : graph_(graph), h_(h), visit_(visit), on_path_(graph.num_nodes()) {}

  bool from(NodeId u) {  // NOLINT(misc-no-recursion)
    on_path_[index(u)] = 1;
    const auto heads = graph_.heads(u);
    bool goes_on = true;
    for (std::size_t i = 0; i < heads.size() && goes_on; ++i) {
      if (on_path_[index(heads[i])] != 0) continue;
      path_.push_back(graph_.arc(u, i));
      goes_on = visit_(path_) && (path_.size() >= h_ || from(heads[i]));
      path_.pop_back();
    }
    on_path_[index(u)] = 0;
    return goes_on;
  }

 private:
  const Digraph& graph_;
  std::uint32_t h_;
  Visit visit_;
  std::vector<std::uint8_t> on_path_;
  GraphPath path_;
};

// Counts and loads, one source after the other.
class Sums {
 public:
  explicit Sums(const Digraph& graph) : graph_(graph), load_(graph.num_arcs()), count_(graph.num_nodes()) {}

  // Without a visit of each: paths are counted on the way out, and what goes on beyond each node on the way back
  // (Brandes 2001). O(arcs + nodes log nodes).
  void add_shortest_paths(NodeId source) {
    distance_ = graph_.distances(source);
    order_.clear();
    for (const NodeId u : graph_.nodes())
      if (distance_[index(u)] != kUnreachableNode) order_.push_back(u);
    std::ranges::stable_sort(order_, {}, [&](NodeId u) { return distance_[index(u)]; });
    count_.assign(graph_.num_nodes(), 0);
    beyond_.assign(graph_.num_nodes(), 0);
    count_[index(source)] = 1;
    for (const NodeId u : order_)
      for (const NodeId v : graph_.heads(u))
        if (is_on_shortest(u, v)) count_[index(v)] += count_[index(u)];
    for (std::size_t i = order_.size(); i-- > 0;) load_arcs_of(order_[i]);
    for (const NodeId d : graph_.nodes()) {
      if (d == source) continue;
      add_pair(count_[index(d)]);
      if (count_[index(d)] > 0) steps_ += count_[index(d)] * distance_[index(d)];
    }
  }

  void add_all_paths(NodeId source, std::uint32_t h) {
    std::fill(count_.begin(), count_.end(), 0);
    EveryPath(graph_, h, [&](const GraphPath& path) {
      ++count_[index(graph_.head(path.back()))];
      return true;
    }).from(source);
    EveryPath(graph_, h, [&](const GraphPath& path) {
      add(path, 1 / count_[index(graph_.head(path.back()))]);
      return true;
    }).from(source);
    for (const NodeId d : graph_.nodes())
      if (d != source) add_pair(count_[index(d)]);
  }
  void add_pair_with(const std::vector<GraphPath>& paths) {
    for (const GraphPath& path : paths) add(path, 1.0 / static_cast<double>(paths.size()));
    add_pair(static_cast<double>(paths.size()));
  }

  [[nodiscard]] PathMetrics metrics() const {
    PathMetrics m;
    m.mean_paths = paths_ / static_cast<double>(pairs_);
    m.least_paths = least_;
    m.most_paths = most_;
    m.mean_length = paths_ == 0 ? 0 : steps_ / paths_;
    m.max_load = load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end());
    const std::uint64_t arcs = load_.size() - count_loops(graph_);
    m.mean_load = arcs == 0 ? 0 : std::reduce(load_.begin(), load_.end()) / static_cast<double>(arcs);
    return m;
  }

 private:
  void add(const GraphPath& path, double share) {
    for (const ArcId a : path) load_[index(a)] += share;
    steps_ += static_cast<double>(path.size());
  }
  [[nodiscard]] bool is_on_shortest(NodeId u, NodeId v) const { return distance_[index(v)] == distance_[index(u)] + 1; }
  // The arcs into a node share the flows to it and to what lies beyond, each by the paths that come over it.
  void load_arcs_of(NodeId u) {
    const auto heads = graph_.heads(u);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (!is_on_shortest(u, heads[i])) continue;
      const double flows = count_[index(u)] / count_[index(heads[i])] * (1 + beyond_[index(heads[i])]);
      load_[index(graph_.arc(u, i))] += flows;
      beyond_[index(u)] += flows;
    }
  }
  void add_pair(double count) {
    least_ = pairs_++ == 0 ? count : std::min(least_, count);
    most_ = std::max(most_, count);
    paths_ += count;
  }

  const Digraph& graph_;
  std::vector<double> load_;
  // Of the source at hand, per node; counts of paths exceed 64 bits.
  std::vector<double> count_, beyond_;
  std::vector<std::uint32_t> distance_;
  std::vector<NodeId> order_;  // nearest first
  std::uint64_t pairs_ = 0;
  double paths_ = 0, steps_ = 0, least_ = 0, most_ = 0;
};

}  // namespace

Distances distances(const Digraph& graph, Progress* progress) {
  begin(progress, graph.num_nodes());
  Distances result;
  std::uint64_t sum = 0, pairs = 0;
  for (const NodeId u : graph.nodes()) {
    for (const std::uint32_t d : graph.distances(u)) {
      if (d == kUnreachableNode) {
        ++result.unreached;
      } else if (d > 0) {
        result.diameter = std::max(result.diameter, d);
        sum += d;
        ++pairs;
      }
    }
    advance(progress);
  }
  result.mean = pairs == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(pairs);
  return result;
}

PathMetrics path_metrics(const Digraph& graph, const PathRule& rule, Progress* progress) {
  if (graph.num_nodes() < 2) return {};
  begin(progress, graph.num_nodes());
  Sums sums(graph);
  if (rule.kind == PathRule::Kind::kShortest || rule.kind == PathRule::Kind::kAllUpTo) {
    for (const NodeId u : graph.nodes()) {
      if (rule.kind == PathRule::Kind::kShortest)
        sums.add_shortest_paths(u);
      else
        sums.add_all_paths(u, rule.parameter);
      advance(progress);
    }
    return sums.metrics();
  }
  PathFinder finder(graph);
  for (const NodeId d : graph.nodes()) {
    for (const NodeId u : graph.nodes())
      if (u != d) sums.add_pair_with(finder.paths(u, d, rule));
    advance(progress);
  }
  PathMetrics metrics = sums.metrics();
  metrics.left_some_out = finder.left_some_out();
  return metrics;
}

std::uint64_t count_paths(const Digraph& graph, NodeId from, std::uint32_t hops, std::uint64_t most) {
  std::uint64_t count = 0;
  EveryPath(graph, hops, [&](const GraphPath&) { return ++count < most; }).from(from);
  return count;
}

std::uint64_t count_loops(const Digraph& graph) {
  std::uint64_t loops = 0;
  for (const NodeId u : graph.nodes())
    for (const NodeId v : graph.heads(u)) loops += u == v ? 1 : 0;
  return loops;
}

namespace {

// One descent: swaps the best pair that is still free until all are moved, keeps the best moment, and starts again
// until that is where it was. O((n + arcs) log n) for a round.
class Halves {
 public:
  // `reversed`: graph.reversed().
  Halves(const Digraph& graph, const Digraph& reversed, std::vector<std::uint8_t> side)
      : graph_(graph), reversed_(reversed), n_(graph.num_nodes()), side_(std::move(side)) {}

  std::uint64_t descend() {
    while (round()) {
    }
    std::uint64_t cut = 0;
    for (const NodeId u : graph_.nodes())
      for (const NodeId v : graph_.heads(u)) cut += side_[index(u)] != side_[index(v)] ? 1 : 0;
    return cut / 2;
  }

 private:
  // visit(v) for each arc from u to v and from v to u, loops left out.
  template <class Visit>
  void for_each_neighbor(std::size_t u, Visit visit) const {
    for (const Digraph* arcs : {&graph_, &reversed_})
      for (const NodeId v : arcs->heads(id_at<NodeId>(u)))
        if (index(v) != u) visit(index(v));
  }
  [[nodiscard]] std::int64_t gain(std::size_t u) const {
    std::int64_t gain = 0;
    for_each_neighbor(u, [&](std::size_t v) { gain += side_[v] == side_[u] ? -1 : 1; });
    return gain;
  }
  [[nodiscard]] std::int64_t arcs_between(std::size_t u, std::size_t v) const {
    std::int64_t count = 0;
    for_each_neighbor(u, [&](std::size_t w) { count += w == v ? 1 : 0; });
    return count;
  }
  // Those that are free, by side, the best gain first and of equal ones the first node.
  using Free = std::set<std::pair<std::int64_t, std::size_t>>;

  void flip(std::size_t u, std::vector<std::int64_t>& gains, Free (&free)[2]) {
    free[side_[u]].erase({-gains[u], u});
    side_[u] ^= 1;
    gains[u] = -gains[u];
    for_each_neighbor(u, [&](std::size_t v) {
      Free& of_side = free[side_[v]];
      auto place = of_side.extract({-gains[v], v});
      gains[v] += side_[v] == side_[u] ? -2 : 2;
      if (place.empty()) return;
      place.value().first = -gains[v];
      of_side.insert(std::move(place));
    });
  }
  bool round() {
    std::vector<std::int64_t> gains(n_);
    Free free[2];
    for (std::size_t u = 0; u < n_; ++u) {
      gains[u] = gain(u);
      free[side_[u]].emplace(-gains[u], u);
    }
    std::vector<std::pair<std::size_t, std::size_t>> swaps;
    std::int64_t total = 0, best = 0;
    std::size_t best_at = 0;
    while (!free[0].empty() && !free[1].empty()) {
      const std::size_t pick[2] = {free[0].begin()->second, free[1].begin()->second};
      total += gains[pick[0]] + gains[pick[1]] - 2 * arcs_between(pick[0], pick[1]);
      for (const std::size_t u : pick) flip(u, gains, free);
      swaps.emplace_back(pick[0], pick[1]);
      if (total > best) best = total, best_at = swaps.size();
    }
    for (std::size_t k = best_at; k < swaps.size(); ++k) side_[swaps[k].first] ^= 1, side_[swaps[k].second] ^= 1;
    return best > 0;
  }

  const Digraph& graph_;
  const Digraph& reversed_;
  std::size_t n_;
  std::vector<std::uint8_t> side_;
};

}  // namespace

std::uint64_t bisection_width(const Digraph& graph, unsigned tries, std::uint64_t seed, Progress* progress) {
  begin(progress, tries);
  RandomOrder random(seed, "bisection");
  const Digraph reversed = graph.reversed();
  std::vector<std::size_t> nodes(graph.num_nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::uint64_t least = graph.num_arcs();
  for (unsigned t = 0; t < tries; ++t) {
    std::vector<std::uint8_t> side(nodes.size());
    for (const std::size_t u : random.front(nodes, nodes.size() / 2)) side[u] = 1;
    least = std::min(least, Halves(graph, reversed, std::move(side)).descend());
    advance(progress);
  }
  return least;
}

}  // namespace espalier
