// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/ordered_graph.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace espalier {

SharedEdges::SharedEdges(std::size_t num_vertices, std::span<const std::pair<Vertex, Vertex>> edges)
    : successors_(num_vertices,
                  [&](const auto& add) {
                    for (const auto& [from, to] : edges) add(from, to);
                  }),
      predecessors_(num_vertices, [&](const auto& add) {
        for (const auto& [from, to] : edges) add(to, from);
      }) {}

OrderedGraph::OrderedGraph(const std::vector<Vertex>& order, std::shared_ptr<const SharedEdges> shared)
    : shared_(std::move(shared)),
      place_(order.size()),
      last_from_(order.size(), kNone),
      last_to_(order.size(), kNone),
      mark_(order.size(), 0) {
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<std::uint32_t>(i);
}

void OrderedGraph::grow(std::size_t count) {
  const std::size_t size = place_.size() + count;
  for (std::size_t v = place_.size(); v < size; ++v) place_.push_back(static_cast<std::uint32_t>(v));
  last_from_.resize(size, kNone);
  last_to_.resize(size, kNone);
  mark_.resize(size, 0);
}

bool OrderedGraph::has(Vertex from, Vertex to) const {
  for (std::uint32_t e = last_from_[from]; e != kNone; e = added_[e].before_of_from)
    if (added_[e].to == to) return true;
  if (!is_shared(from)) return false;
  const std::span<const Vertex> list = shared_->successors(from);
  return std::find(list.begin(), list.end(), to) != list.end();
}

bool OrderedGraph::reach(Vertex v, const Search& search, std::vector<Vertex>& found) {
  if (mark_[v] == search.other) return false;
  if (mark_[v] == search.own || place_[v] < search.low || place_[v] > search.high) return true;
  mark_[v] = search.own;
  found.push_back(v);
  return true;
}

bool OrderedGraph::spread(std::span<const Vertex> next, const Search& search, std::vector<Vertex>& found) {
  return std::all_of(next.begin(), next.end(), [&](Vertex v) { return reach(v, search, found); });
}

bool OrderedGraph::spread_forth(Vertex from, const Search& search) {
  if (is_shared(from) && !spread(shared_->successors(from), search, behind_)) return false;
  for (std::uint32_t e = last_from_[from]; e != kNone; e = added_[e].before_of_from)
    if (!reach(added_[e].to, search, behind_)) return false;
  return true;
}

bool OrderedGraph::spread_back(Vertex to, const Search& search) {
  if (is_shared(to) && !spread(shared_->predecessors(to), search, before_)) return false;
  for (std::uint32_t e = last_to_[to]; e != kNone; e = added_[e].before_of_to)
    if (!reach(added_[e].from, search, before_)) return false;
  return true;
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
    reorder_(before_, behind_, [&](Vertex v) -> std::uint32_t& { return place_[v]; });
  }
  added_.push_back({from, to, last_from_[from], last_to_[to]});
  last_from_[from] = last_to_[to] = static_cast<std::uint32_t>(added_.size() - 1);
  return true;
}

void OrderedGraph::remove(Vertex from, Vertex to) {
  const std::uint32_t e = last_from_[from];
  check(e != kNone && e == last_to_[to], "OrderedGraph: not the last edge");
  last_from_[from] = added_[e].before_of_from;
  last_to_[to] = added_[e].before_of_to;
  if (e + 1 == added_.size()) added_.pop_back();
}

}  // namespace espalier
