// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/ordered_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace espalier {

SharedEdges::SharedEdges(std::size_t num_vertices, std::span<const std::pair<Vertex, Vertex>> edges) {
  const auto fill = [&](Lists& lists, auto key, auto value) {
    lists.first.assign(num_vertices + 1, 0);
    for (const auto& edge : edges) ++lists.first[key(edge) + 1];
    std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
    std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
    lists.items.resize(edges.size());
    for (const auto& edge : edges) lists.items[next[key(edge)]++] = value(edge);
  };
  const auto from = [](const auto& edge) { return edge.first; };
  const auto to = [](const auto& edge) { return edge.second; };
  fill(successors_, from, to);
  fill(predecessors_, to, from);
}

OrderedGraph::OrderedGraph(const std::vector<Vertex>& order, std::shared_ptr<const SharedEdges> shared)
    : shared_(std::move(shared)),
      place_(order.size()),
      successors_(order.size()),
      predecessors_(order.size()),
      mark_(order.size(), 0) {
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
}

void OrderedGraph::grow(std::size_t count) {
  const std::size_t size = place_.size() + count;
  for (std::size_t v = place_.size(); v < size; ++v) place_.push_back(static_cast<std::uint32_t>(v));
  successors_.resize(size);
  predecessors_.resize(size);
  mark_.resize(size, 0);
}

bool OrderedGraph::has(Vertex from, Vertex to) const {
  const auto is_in = [to](std::span<const Vertex> list) {
    return std::find(list.begin(), list.end(), to) != list.end();
  };
  return is_in(successors_[from]) || (is_shared(from) && is_in(shared_->successors(from)));
}

bool OrderedGraph::spread(std::span<const Vertex> next, const Search& search, std::vector<Vertex>& found) {
  for (const Vertex v : next) {
    if (mark_[v] == search.other) return false;
    if (mark_[v] == search.own || place_[v] < search.low || place_[v] > search.high) continue;
    mark_[v] = search.own;
    found.push_back(v);
  }
  return true;
}

bool OrderedGraph::spread_forth(Vertex from, const Search& search) {
  return (!is_shared(from) || spread(shared_->successors(from), search, behind_)) &&
         spread(successors_[from], search, behind_);
}

bool OrderedGraph::spread_back(Vertex from, const Search& search) {
  return (!is_shared(from) || spread(shared_->predecessors(from), search, before_)) &&
         spread(predecessors_[from], search, before_);
}

bool OrderedGraph::collect(Vertex from, Vertex to) {
  const Search forth{place_[to], place_[from], search_ + 1, search_ + 2};
  const Search back{forth.low, forth.high, forth.other, forth.own};
  search_ += 2;
  behind_.assign(1, to);
  before_.assign(1, from);
  mark_[to] = forth.own;
  mark_[from] = back.own;
  for (std::size_t i = 0, j = 0; i < behind_.size() || j < before_.size();) {
    if (i < behind_.size() && !spread_forth(behind_[i++], forth)) return false;
    if (j < before_.size() && !spread_back(before_[j++], back)) return false;
  }
  return true;
}

bool OrderedGraph::add(Vertex from, Vertex to) {
  if (from == to) return false;
  if (place_[from] > place_[to]) {
    const bool closes_cycle = !collect(from, to);
    num_visited_ += behind_.size() + before_.size();
    if (closes_cycle) return false;
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
