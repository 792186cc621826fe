// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A growing directed graph without cycles, and a topological order of it that is kept up to date: the dynamic
// topological sort of D. Pearce and P. Kelly (J. Exp. Algorithmics 11, 2006). An edge that agrees with the order costs
// nothing; another one costs a search from both ends among the vertices between them in the order.
#pragma once

#include <cstdint>
#include <vector>

namespace espalier {

class OrderedGraph {
 public:
  using Vertex = std::uint32_t;

  // Without edges; `order` has each vertex once.
  explicit OrderedGraph(const std::vector<Vertex>& order);

  // False, and nothing changes: the edge would close a cycle. An edge that exists already is then there twice.
  [[nodiscard]] bool add(Vertex from, Vertex to);
  // Takes back an edge. The order stays good. REQUIRES: it is the last one at both its ends.
  void remove(Vertex from, Vertex to);

 private:
  // What `to` leads to, into behind_, and what leads to `from`, into before_, without leaving the places between them; one
  // step here, one there, so that they meet early; false when they do.
  bool collect(Vertex from, Vertex to);
  bool spread(const std::vector<Vertex>& next, std::uint32_t low, std::uint32_t high, std::uint32_t own,
              std::uint32_t other, std::vector<Vertex>& found);

  std::vector<std::uint32_t> place_;  // per vertex, in the order
  std::vector<std::vector<Vertex>> successors_;
  std::vector<std::vector<Vertex>> predecessors_;
  std::vector<std::uint32_t> mark_;  // per vertex: the search that found it
  std::uint32_t search_ = 0;
  std::vector<Vertex> behind_, before_;  // of the last search
  std::vector<std::uint32_t> places_;
};

}  // namespace espalier
