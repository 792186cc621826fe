// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Topological sorting by taking away what nothing leads to any more (Kahn, "Topological sorting of large networks",
// 1962). Ids in and out, and the caller's memory, since some callers sort thousands of small graphs.
#pragma once

#include <cstddef>
#include <vector>

namespace espalier {

// Sorts the vertices 0 .. n-1 (ids or numbers) into `order`, each before those that it leads to. What lies on a cycle or
// behind one is left out: its in-degree is not 0 at the end. `for_each_next(v, visit)` visits what v leads to; an edge
// may come more than once.
// REQUIRES: Degree holds the largest in-degree.
template <class Id, class Degree, class ForEachNext>
void sort_topologically(std::size_t n, ForEachNext&& for_each_next, std::vector<Degree>& in_degree,
                        std::vector<Id>& order) {
  in_degree.assign(n, 0);
  order.clear();
  order.reserve(n);
  const auto degree = [&](Id v) -> Degree& { return in_degree[static_cast<std::size_t>(v)]; };
  for (std::size_t v = 0; v < n; ++v) for_each_next(static_cast<Id>(v), [&](Id next) { ++degree(next); });
  for (std::size_t v = 0; v < n; ++v)
    if (in_degree[v] == 0) order.push_back(static_cast<Id>(v));
  for (std::size_t i = 0; i < order.size(); ++i)
    for_each_next(order[i], [&](Id next) {
      if (--degree(next) == 0) order.push_back(next);
    });
}

}  // namespace espalier
