// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A circulation in a network whose arcs have lower and upper bounds, by Dinic's algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/flat_lists.h"

namespace espalier {

class BoundedFlow {
 public:
  explicit BoundedFlow(std::size_t num_nodes);

  // Returns the arc's number, counted from 0. REQUIRES: 0 <= lower <= upper.
  std::size_t add_arc(std::uint32_t from, std::uint32_t to, std::int64_t lower, std::int64_t upper);

  // Finds a circulation: what flows into a node flows out of it. Returns whether there is one. Call once.
  [[nodiscard]] bool solve();
  // After solve() returned true.
  [[nodiscard]] std::int64_t flow(std::size_t arc) const { return lower_[arc] + capacity_[2 * arc + 1]; }

 private:
  [[nodiscard]] bool find_distances();
  [[nodiscard]] std::int64_t push(std::uint32_t node, std::int64_t amount);

  std::size_t num_nodes_;               // with the two of our own: a source of excess and a sink
  std::vector<std::uint32_t> to_;       // per half arc; 2 a is arc a, 2 a + 1 its reverse
  std::vector<std::int64_t> capacity_;  // what is left, per half arc
  std::vector<std::int64_t> lower_;     // per arc
  std::vector<std::int64_t> excess_;    // per node
  FlatLists<std::uint32_t> halves_;     // half arcs from each node
  std::vector<std::uint32_t> next_;     // per node: where among these push() goes on
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace espalier
