// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/ordered_graph.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {

OrderedGraph::OrderedGraph(const std::vector<Vertex>& order)
    : place_(order.size()), successors_(order.size()), predecessors_(order.size()), mark_(order.size(), 0) {
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
}

bool OrderedGraph::spread(const std::vector<Vertex>& next, std::uint32_t low, std::uint32_t high, std::uint32_t own,
                          std::uint32_t other, std::vector<Vertex>& found) {
  for (const Vertex v : next) {
    if (mark_[v] == other) return false;
    if (mark_[v] == own || place_[v] < low || place_[v] > high) continue;
    mark_[v] = own;
    found.push_back(v);
  }
  return true;
}

bool OrderedGraph::collect(Vertex from, Vertex to) {
  const std::uint32_t low = place_[to];
  const std::uint32_t high = place_[from];
  const std::uint32_t forth = ++search_;
  const std::uint32_t back = ++search_;
  behind_.assign(1, to);
  before_.assign(1, from);
  mark_[to] = forth;
  mark_[from] = back;
  for (std::size_t i = 0, j = 0; i < behind_.size() || j < before_.size();) {
    if (i < behind_.size() && !spread(successors_[behind_[i++]], low, high, forth, back, behind_)) return false;
    if (j < before_.size() && !spread(predecessors_[before_[j++]], low, high, back, forth, before_)) return false;
  }
  return true;
}

bool OrderedGraph::add(Vertex from, Vertex to) {
  if (from == to) return false;
  if (place_[from] > place_[to]) {
    if (!collect(from, to)) return false;
    // What leads to `from` gets the first of all their places, what follows `to` the last, each in its old order.
    const auto by_place = [&](Vertex a, Vertex b) { return place_[a] < place_[b]; };
    std::sort(before_.begin(), before_.end(), by_place);
    std::sort(behind_.begin(), behind_.end(), by_place);
    before_.insert(before_.end(), behind_.begin(), behind_.end());
    places_.clear();
    for (const Vertex v : before_) places_.push_back(place_[v]);
    std::sort(places_.begin(), places_.end());
    for (std::size_t i = 0; i < before_.size(); ++i) place_[before_[i]] = places_[i];
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
