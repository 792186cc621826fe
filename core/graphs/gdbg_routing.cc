// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/gdbg_routing.h"

#include <algorithm>

namespace espalier {
namespace {

// a b mod n without overflow.
std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % n);
}

std::uint64_t power(std::uint64_t r, std::uint32_t h) {
  std::uint64_t value = 1;
  while (h-- > 0) value *= r;
  return value;
}

// The least y of a walk of h arcs from u to d.
std::uint64_t first_number(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h) {
  return (d + g.n - times(u, power(g.r, h) % g.n, g.n)) % g.n;
}

bool has_arc(const Digraph& graph, NodeId u, NodeId v) {
  const auto heads = graph.heads(u);
  return std::binary_search(heads.begin(), heads.end(), v);
}

// Without loops, parallel ones once.
std::uint64_t count_neighbors(const Digraph& graph) {
  std::uint64_t count = 0;
  for (const NodeId u : graph.nodes()) {
    const auto heads = graph.heads(u);
    for (std::size_t i = 0; i < heads.size(); ++i)
      count += heads[i] != u && (i == 0 || heads[i - 1] != heads[i]) ? 1 : 0;
  }
  return count;
}

// How many of the arcs there are of `degree` from each node on, without loops, counted once; 0 where one is missing.
// `back`: and their opposites.
std::uint64_t count_gdbg_arcs(const Digraph& graph, std::uint64_t degree, bool back) {
  const std::uint64_t n = graph.num_nodes();
  // Whether v is one of the nodes u r + c mod n, c < r.
  const auto leads = [&](std::uint64_t u, std::uint64_t v) { return (v + n - u * degree % n) % n < degree; };
  std::uint64_t count = 0;
  for (std::uint64_t u = 0; u < n; ++u)
    for (std::uint64_t c = 0; c < std::min(degree, n); ++c) {
      const std::uint64_t v = (u * degree + c) % n;
      if (u == v) continue;
      if (!has_arc(graph, id_at<NodeId>(u), id_at<NodeId>(v))) return 0;
      if (back && !has_arc(graph, id_at<NodeId>(v), id_at<NodeId>(u))) return 0;
      count += back && !leads(v, u) ? 2 : 1;
    }
  return count;
}

}  // namespace

std::uint64_t gdbg_walks(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h) {
  const std::uint64_t y = first_number(g, u, d, h);
  const std::uint64_t numbers = power(g.r, h);
  return y < numbers ? (numbers - 1 - y) / g.n + 1 : 0;
}

std::optional<std::uint64_t> gdbg_next_hop(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h,
                                           std::uint64_t i) {
  if (i >= gdbg_walks(g, u, d, h)) return std::nullopt;
  const std::uint64_t y = first_number(g, u, d, h) + i * g.n;
  return (times(u, g.r, g.n) + y / power(g.r, h - 1)) % g.n;
}

std::optional<RegularGraph> recognize_gdbg(const Digraph& graph) {
  const std::uint64_t n = graph.num_nodes();
  if (n < 2) return std::nullopt;
  const std::uint64_t arcs = count_neighbors(graph);
  std::uint64_t most = 1;  // node 0 leads to 0 .. r - 1
  while (most < n && has_arc(graph, NodeId{0}, id_at<NodeId>(most))) ++most;
  for (const bool back : {false, true})
    for (std::uint64_t r = most; r >= 2; --r)
      if (count_gdbg_arcs(graph, r, back) == arcs) return RegularGraph{n, r};
  return std::nullopt;
}

std::vector<ArcId> gdbg_path(const Digraph& graph, RegularGraph g, NodeId u, NodeId d) {
  std::uint32_t hops = 1;
  while (gdbg_walks(g, index(u), index(d), hops) == 0) ++hops;
  std::vector<ArcId> path;
  for (NodeId at = u; hops > 0; --hops) {
    const std::uint64_t walk = (std::uint64_t{index(at)} + index(d)) % gdbg_walks(g, index(at), index(d), hops);
    const NodeId next = id_at<NodeId>(*gdbg_next_hop(g, index(at), index(d), hops, walk));
    const auto heads = graph.heads(at);
    path.push_back(graph.arc(at, std::lower_bound(heads.begin(), heads.end(), next) - heads.begin()));
    at = next;
  }
  return path;
}

}  // namespace espalier
