// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The dimensions of a torus, a mesh, a HyperX or another Cartesian product of graphs, seen from the links alone, whatever the
// numbers of switches and ports: the finest product relation (Feder, Product graph representations, J. Graph Theory 1992).
// Two links of a switch belong to one dimension unless they are the corner of exactly one square without diagonals;
// links on opposite sides of such a square do as well. A ring of four is a product of two pairs.
//
// On a product each shortest path makes as many hops in each dimension as any other one, so that what all channels of a
// dimension carry together is the same for all routings by shortest paths.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engines/layers/switch_graph.h"

namespace espalier {

class Dimensions {
 public:
  // One for all channels where the graph is no product.
  explicit Dimensions(const SwitchGraph& graph);
  // The same where links are missing: each dimension has links of nearly all switches, which triangles and squares show to
  // belong together, as in a HyperX; rings of five or more are not found. What belongs to none has the number count().
  [[nodiscard]] static Dimensions of_damaged(const SwitchGraph& graph);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t of(ChannelId c) const { return of_[index(c)]; }
  // Numbers them anew, each by its place in `order`.
  void sort(const std::vector<std::uint32_t>& order);

 private:
  Dimensions() = default;

  std::vector<std::uint32_t> of_;  // per channel of the fabric
  std::uint32_t count_ = 1;
};

}  // namespace espalier
