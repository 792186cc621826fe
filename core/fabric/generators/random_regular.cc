// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/fabric/generators/regular_graphs.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

constexpr int kTriesToConnect = 100;

class Jellyfish {
 public:
  Jellyfish(std::uint32_t n, std::uint32_t r, RandomOrder& random) : neighbors_(n), free_(n, r), random_(random) {}

  std::vector<Arc> grow() {
    join_free_ports();
    for (std::uint32_t u = 0; u < free_.size(); ++u)
      while (free_[u] >= 2 && split_an_edge(u, u)) {
      }
    // What is left are single ports of nodes that are all neighbors.
    for (std::uint32_t u = 0; u < free_.size(); ++u)
      for (std::uint32_t v = 0; v < u && free_[u] > 0; ++v)
        if (free_[v] > 0) split_an_edge(u, v);
    return edges_;
  }

  [[nodiscard]] bool is_connected() const {
    std::vector<std::uint8_t> seen(neighbors_.size());
    std::vector<std::uint32_t> queue{0};
    seen[0] = 1;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const std::uint32_t next : neighbors_[queue[head]])
        if (seen[next]++ == 0) queue.push_back(next);
    return queue.size() == neighbors_.size();
  }

 private:
  void join(std::uint32_t a, std::uint32_t b) {
    neighbors_[a].insert(b);
    neighbors_[b].insert(a);
    edges_.emplace_back(std::min(a, b), std::max(a, b));
    --free_[a];
    --free_[b];
  }
  void cut(std::size_t edge) {
    const auto [a, b] = edges_[edge];
    neighbors_[a].erase(b);
    neighbors_[b].erase(a);
    edges_[edge] = edges_.back();
    edges_.pop_back();
    ++free_[a];
    ++free_[b];
  }
  [[nodiscard]] bool may_join(std::uint32_t a, std::uint32_t b) const { return a != b && !neighbors_[a].contains(b); }

  // Random pairs of free ports, until nearly none of them may be joined; then whatever may be.
  void join_free_ports() {
    std::vector<std::uint32_t> ports;
    for (std::uint32_t u = 0; u < free_.size(); ++u) ports.insert(ports.end(), free_[u], u);
    for (std::size_t failures = 0; ports.size() >= 2 && failures < 4 * ports.size();) {
      const std::size_t i = random_.below(ports.size()), j = random_.below(ports.size());
      if (!may_join(ports[i], ports[j])) {
        ++failures;
        continue;
      }
      join(ports[i], ports[j]);
      failures = 0;
      for (const std::size_t gone : {std::max(i, j), std::min(i, j)}) {
        ports[gone] = ports.back();
        ports.pop_back();
      }
    }
    for (const std::uint32_t a : ports)
      for (const std::uint32_t b : ports)
        if (free_[a] > 0 && free_[b] > 0 && may_join(a, b)) join(a, b);
  }

  // Cuts a random edge whose ends may be joined to u and v, and joins them.
  bool split_an_edge(std::uint32_t u, std::uint32_t v) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (may_join(u, edges_[i].first) && may_join(v, edges_[i].second)) candidates.push_back(i);
    if (candidates.empty()) return false;
    const std::size_t edge = candidates[random_.below(candidates.size())];
    const auto [a, b] = edges_[edge];
    cut(edge);
    join(u, a);
    join(v, b);
    return true;
  }

  std::vector<std::set<std::uint32_t>> neighbors_;
  std::vector<std::uint32_t> free_;  // ports, per node
  std::vector<Arc> edges_;
  RandomOrder& random_;
};

}  // namespace

Result<std::vector<Arc>> random_regular_graph(std::uint32_t n, std::uint32_t r, std::uint64_t seed) {
  if (r >= n)
    return fail(fmt::format("of {} each has at most {}, not {}", counted(n, "node"), counted(n - 1, "neighbor"), r));
  RandomOrder random(seed, "random regular graph");
  for (int i = 0; i < kTriesToConnect; ++i) {
    Jellyfish graph(n, r, random);
    std::vector<Arc> edges = graph.grow();
    if (!graph.is_connected()) continue;
    std::sort(edges.begin(), edges.end());
    return edges;
  }
  return fail(
      fmt::format("{} random graphs of {} nodes with {} neighbors were all disconnected", kTriesToConnect, n, r));
}

}  // namespace espalier
