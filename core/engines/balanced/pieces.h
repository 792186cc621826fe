// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The channels by which the hosts of one switch are reached, as a numbering by type has given them out: what `balanced`
// may choose among where phases between node types are to stay good.
//
// gxmodk's interleaved numbers (core/tree/order/interleaved_order.h) give each leaf of a pod a piece of the paths into the
// pod, and spread the few hosts of a type over all of them. Phases from storage are good because no other leaf's hosts
// come by that piece, phases to storage because of where the storage nodes themselves are reached. So the search may
// move a host within the pieces of its leaf and one neighbor, and leaves hosts of scarce types where they are. Then two
// storage nodes at most meet on a channel where they send to a leaf each, and phases to storage stay as they were: 2 and 1,
// 1.5 in the mean. The piece of its own leaf alone would keep 1 and 1, and costs shifts more than they lose to the damage:
// 8 640 hosts with 86 links gone 8 / 6.3, with two pieces 6 / 5.3, without types 5 / 4.9.
//
// Tried: each leaf with its own piece and the next one's, all around the pod (the long chain of Jordan and Graves 1995), in
// place of pairs; and pairs of leaves half a pod apart. Shifts come to 6 / 5.0 and 6 / 4.9, but three storage nodes meet in one
// of 13 phases. With the hosts of these phases put back, and what it takes to find them paid, shifts are 7 / 5.3, no better than
// with pairs of neighbors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/tree/order/host_runs.h"
#include "core/tree/order/node_types.h"

namespace espalier {

class Pieces {
 public:
  // Of all channels: nothing is left out.
  Pieces() = default;
  // Those that the columns use. Hosts of types that less than a quarter of all hosts are of stay.
  Pieces(const HostColumns& columns, const RoutingProblem& problem, std::span<const HostRun> sources,
         const NodeTypes& types);

  // Whether switch s may send to hosts of this source by its number-th channel.
  [[nodiscard]] bool has(SwitchId s, std::uint32_t source, std::size_t number) const {
    return used_.empty() || (used_[source * num_switches_ + index(s)][number / 64] >> number % 64 & 1) != 0;
  }
  [[nodiscard]] bool stays(std::uint32_t host) const { return !stays_.empty() && stays_[host] != 0; }

 private:
  void join_neighbors(const FatTree& tree, std::span<const HostRun> sources);

  std::size_t num_switches_ = 0;
  std::vector<std::array<std::uint64_t, 4>> used_;  // [source][switch]
  std::vector<std::uint8_t> stays_;                 // per host
};

// Whether there are hosts of more than one type.
[[nodiscard]] bool tells_types_apart(const NodeOrder& order, const NodeTypes& types);

}  // namespace espalier
