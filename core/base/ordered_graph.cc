// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/ordered_graph.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {

OrderedGraph::OrderedGraph(const std::vector<Vertex>& order)
    : place_(order.size()), successors_(order.size()), predecessors_(order.size()), mark_(order.size(), 0) {
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
}

bool OrderedGraph::collect(const std::vector<std::vector<Vertex>>& next, Vertex start, Vertex stop, std::uint32_t low,
                           std::uint32_t high, std::vector<Vertex>& found) {
  ++search_;
  found.assign(1, start);
  mark_[start] = search_;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const Vertex v : next[found[i]]) {
      if (v == stop) return false;
      if (mark_[v] == search_ || place_[v] < low || place_[v] > high) continue;
      mark_[v] = search_;
      found.push_back(v);
    }
  return true;
}

bool OrderedGraph::add(Vertex from, Vertex to) {
  if (from == to) return false;
  if (place_[from] > place_[to]) {
    const std::uint32_t low = place_[to];
    const std::uint32_t high = place_[from];
    std::vector<Vertex> behind;
    std::vector<Vertex> before;
    if (!collect(successors_, to, from, low, high, behind)) return false;
    check(collect(predecessors_, from, to, low, high, before), "OrderedGraph: the order is wrong");
    // What leads to `from` gets the first of all their places, what follows `to` the last, each in its old order.
    const auto by_place = [&](Vertex a, Vertex b) { return place_[a] < place_[b]; };
    std::sort(before.begin(), before.end(), by_place);
    std::sort(behind.begin(), behind.end(), by_place);
    before.insert(before.end(), behind.begin(), behind.end());
    std::vector<std::uint32_t> places;
    for (const Vertex v : before) places.push_back(place_[v]);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < before.size(); ++i) place_[before[i]] = places[i];
  }
  successors_[from].push_back(to);
  predecessors_[to].push_back(from);
  return true;
}

void OrderedGraph::remove(Vertex from, Vertex to) {
  check(successors_[from].back() == to && predecessors_[to].back() == from, "OrderedGraph: not the last edge");
  successors_[from].pop_back();
  predecessors_[to].pop_back();
}

}  // namespace espalier
