// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A growing directed graph without cycles, and a topological order of it that is kept up to date: the dynamic
// topological sort of D. Pearce and P. Kelly (J. Exp. Algorithmics 11, 2006). An edge that agrees with the order costs
// nothing; another one costs a search among the vertices between its ends in the order.
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
  // Marks and collects what `start` reaches by `next` without leaving the places [low, high]; false: it meets `stop`.
  bool collect(const std::vector<std::vector<Vertex>>& next, Vertex start, Vertex stop, std::uint32_t low,
               std::uint32_t high, std::vector<Vertex>& found);

  std::vector<std::uint32_t> place_;  // per vertex, in the order
  std::vector<std::vector<Vertex>> successors_;
  std::vector<std::vector<Vertex>> predecessors_;
  std::vector<std::uint32_t> mark_;  // per vertex: the search that found it
  std::uint32_t search_ = 0;
};

}  // namespace espalier
