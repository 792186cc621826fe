// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A growing directed graph without cycles, and a topological order of it that is kept up to date: the dynamic
// topological sort of D. Pearce and P. Kelly (J. Exp. Algorithmics 11, 2006). An edge that agrees with the order costs
// nothing; another one costs a search from both ends among the vertices between them in the order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/flat_lists.h"

namespace espalier {

// How such an order takes an edge that disagrees with it: the places that two lists hold go to what is in the first one, and
// then to what is in the second, each in its old order. For graphs that keep their edges otherwise than the one below.
template <class Vertex>
class Reordering {
 public:
  // `place(v)` is a reference to the place of v. REQUIRES: no vertex is in both lists, or twice in one.
  template <class Place>
  void operator()(std::span<const Vertex> first, std::span<const Vertex> second, Place&& place) {
    const auto sort_by_place = [&](std::span<const Vertex> list, std::vector<Placed>& sorted) {
      sorted.clear();
      for (const Vertex v : list) sorted.push_back({place(v), v});
      std::sort(sorted.begin(), sorted.end(), [](const Placed& a, const Placed& b) { return a.place < b.place; });
    };
    sort_by_place(first, first_);
    sort_by_place(second, second_);
    merged_.clear();
    std::ranges::merge(first_, second_, std::back_inserter(merged_), {}, &Placed::place, &Placed::place);
    std::size_t i = 0;
    for (const auto* list : {&first_, &second_})
      for (const Placed& vertex : *list) place(vertex.vertex) = merged_[i++].place;
  }

 private:
  struct Placed {
    std::uint32_t place;
    Vertex vertex;
  };
  std::vector<Placed> first_, second_, merged_;  // scratch
};

// Edges in one piece, which graphs share that begin with them.
class SharedEdges {
 public:
  using Vertex = std::uint32_t;

  // (from, to), in any order. REQUIRES: all are below `num_vertices`.
  SharedEdges(std::size_t num_vertices, std::span<const std::pair<Vertex, Vertex>> edges);

  [[nodiscard]] std::size_t num_vertices() const { return successors_.num_lists(); }
  [[nodiscard]] std::span<const Vertex> successors(Vertex v) const { return successors_.at(v); }
  [[nodiscard]] std::span<const Vertex> predecessors(Vertex v) const { return predecessors_.at(v); }

 private:
  FlatLists<Vertex> successors_, predecessors_;
};

class OrderedGraph {
 public:
  using Vertex = SharedEdges::Vertex;

  // Without edges, or with those that it shares; `order` has each vertex once. REQUIRES: they agree with the order.
  explicit OrderedGraph(const std::vector<Vertex>& order, std::shared_ptr<const SharedEdges> shared = nullptr);

  // `count` more vertices, behind all others.
  void grow(std::size_t count);
  [[nodiscard]] bool has(Vertex from, Vertex to) const;
  // Vertices that searches have come to so far.
  [[nodiscard]] std::uint64_t num_visited() const { return num_visited_; }
  // Whether an edge agrees with the order as it is.
  [[nodiscard]] bool ascends(Vertex from, Vertex to) const { return place_[from] < place_[to]; }
  // False, and nothing changes: the edge would close a cycle. An edge that exists already is then there twice.
  [[nodiscard]] bool add(Vertex from, Vertex to);
  // Takes back an edge. The order stays good. REQUIRES: it has been added, and is the last one at both its ends.
  void remove(Vertex from, Vertex to);

 private:
  // What `to` leads to, into behind_, and what leads to `from`, into before_, without leaving the places between them; one
  // step here, one there, so that they meet early; false when they do.
  bool collect(Vertex from, Vertex to);
  struct Search {
    std::uint32_t low, high;   // places
    std::uint32_t own, other;  // marks
  };
  // False: the other search has come here.
  bool reach(Vertex v, const Search& search, std::vector<Vertex>& found);
  bool spread(std::span<const Vertex> next, const Search& search, std::vector<Vertex>& found);
  [[nodiscard]] bool is_shared(Vertex v) const { return shared_ && v < shared_->num_vertices(); }
  bool spread_forth(Vertex from, const Search& search);
  bool spread_back(Vertex to, const Search& search);

  std::shared_ptr<const SharedEdges> shared_;
  std::vector<std::uint32_t> place_;  // per vertex, in the order
  // An edge that was added, in two lists: from the last to the first of its ends. Graphs are copied more often than they
  // grow by much, so the lists are in a few arrays.
  struct Added {
    Vertex from, to;
    std::uint32_t before_of_from, before_of_to;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<Added> added_;
  std::vector<std::uint32_t> last_from_, last_to_;  // per vertex: in added_
  std::vector<std::uint32_t> mark_;                 // per vertex: the search that found it
  std::uint32_t search_ = 0;
  std::uint64_t num_visited_ = 0;
  std::vector<Vertex> behind_, before_;  // of the last search
  Reordering<Vertex> reorder_;
};

}  // namespace espalier
