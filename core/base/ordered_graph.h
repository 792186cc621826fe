// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A growing directed graph without cycles, and a topological order of it that is kept up to date: the dynamic
// topological sort of D. Pearce and P. Kelly (J. Exp. Algorithmics 11, 2006). An edge that agrees with the order costs
// nothing; another one costs a search from both ends among the vertices between them in the order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
    sort_by_place(first, place, first_);
    sort_by_place(second, place, second_);
    merge_places();
    std::size_t i = 0;
    for (const auto* list : {&first_, &second_})
      for (const Placed& vertex : *list) place(vertex.vertex) = places_[i++];
  }

 private:
  struct Placed {
    std::uint32_t place;
    Vertex vertex;
  };
  static constexpr unsigned kDigit = 11;    // bits
  static constexpr std::size_t kFew = 256;  // comparisons are faster then

  template <class Place>
  void sort_by_place(std::span<const Vertex> list, Place&& place, std::vector<Placed>& sorted) {
    sorted.clear();
    std::uint32_t least = UINT32_MAX, most = 0;
    for (const Vertex v : list) {
      sorted.push_back({place(v), v});
      least = std::min(least, sorted.back().place);
      most = std::max(most, sorted.back().place);
    }
    if (sorted.size() < kFew)
      return std::sort(sorted.begin(), sorted.end(),
                       [](const Placed& a, const Placed& b) { return a.place < b.place; });
    for (unsigned shift = 0; shift < 32 && (most - least) >> shift != 0; shift += kDigit)
      sort_by_digit(sorted, least, shift);
  }

  void sort_by_digit(std::vector<Placed>& list, std::uint32_t least, unsigned shift) {
    const auto digit = [&](const Placed& v) { return (v.place - least) >> shift & ((1U << kDigit) - 1); };
    std::array<std::uint32_t, (1U << kDigit) + 1> begin{};
    for (const Placed& v : list) ++begin[digit(v) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    other_.resize(list.size());
    for (const Placed& v : list) other_[begin[digit(v)]++] = v;
    list.swap(other_);
  }

  // Without a branch that depends on which comes first: nobody can guess it.
  void merge_places() {
    places_.resize(first_.size() + second_.size());
    std::size_t i = 0, j = 0;
    while (i < first_.size() && j < second_.size()) {
      const std::uint32_t a = first_[i].place, b = second_[j].place;
      places_[i + j] = std::min(a, b);
      const std::size_t is_first = a < b ? 1 : 0;
      i += is_first;
      j += 1 - is_first;
    }
    for (; i < first_.size(); ++i) places_[i + j] = first_[i].place;
    for (; j < second_.size(); ++j) places_[i + j] = second_[j].place;
  }

  std::vector<Placed> first_, second_, other_;  // scratch
  std::vector<std::uint32_t> places_;
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
