// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hop counts of up-down paths between all switches: the thesis's costs c and down-costs c' (Gliksberg 2022, 4.2.1,
// Algorithms 5 and 6), with every switch as a destination, not only the leaves, because on InfiniBand switches,
// Aggregation Nodes and hosts on spines have LIDs as well.
//
// Deviation from the thesis. Algorithm 12 compares c for up-groups and c' for down-groups at the same time. Where a
// switch s has a path down to t but a shorter one up and down (never in a layered tree, but with links that skip or stay
// on a level), it then turns packets upward that came to s from above: a down-up turn, and a credit loop is one more
// such switch away. Here who can go down goes down:
//
//     cost(s,t) = down_cost(s,t)                     if t is below s
//               = 1 + min over up-neighbors u of cost(u,t)   otherwise
//
// so the cost is the length of the path that the tables take, and every path is up-down by construction.
// tests/tree/costs_test.cc draws the fabric in which the printed rule loops.
//
// paper                here
// c_{s,l}              cost(s, l)
// c'_{s,l}             down_cost(s, l)
// infinity             kUnreachable
//
// O(#links x #switches) byte operations, split over threads by destination.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/large_array.h"
#include "core/tree/fat_tree.h"

namespace espalier {

using Hops = std::uint8_t;
inline constexpr Hops kUnreachable = 255;  // no up-down path, or one of more than 254 hops

class UpDownCosts {
 public:
  explicit UpDownCosts(const FatTree& tree);

  // Hops between switches; 0 from a switch to itself.
  [[nodiscard]] Hops cost(SwitchId s, SwitchId t) const { return cost_[index(s) * stride_ + index(t)]; }
  [[nodiscard]] Hops down_cost(SwitchId s, SwitchId t) const { return down_[index(s) * stride_ + index(t)]; }
  // Whether a neighbor is a next step to t: nearer to t, by going down alone where t is below s.
  [[nodiscard]] bool leads_closer(SwitchId s, SwitchId neighbor, SwitchId t) const {
    const bool goes_down = down_cost(s, t) != kUnreachable;
    return (goes_down ? down_cost(neighbor, t) : cost(neighbor, t)) < cost(s, t);
  }
  // One entry per destination switch; the padding behind the last is kUnreachable.
  [[nodiscard]] std::span<const Hops> cost_row(SwitchId s) const {
    return {cost_.data() + index(s) * stride_, stride_};
  }
  [[nodiscard]] std::span<const Hops> down_row(SwitchId s) const {
    return {down_.data() + index(s) * stride_, stride_};
  }
  // Entries per row: the number of switches, rounded up to whole cache lines.
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  void propagate(const FatTree& tree, std::size_t first_column, std::size_t last_column);

  std::size_t stride_;
  LargeArray<Hops> down_;
  LargeArray<Hops> cost_;
};

}  // namespace espalier
