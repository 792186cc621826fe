// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The channels by which the hosts of one switch are reached, as a numbering by type has given them out: what `balanced`
// may choose among where phases between node types are to stay good.
//
// gxmodk's interleaved numbers (core/tree/order/interleaved_order.h) give each leaf of a pod a piece of the paths into the
// pod, and spread the few hosts of a type over all of them. Phases from storage are good because no other leaf's hosts
// come by that piece, phases to storage because of where the storage nodes themselves are reached. So the search may
// move a host within the pieces of its leaf and one neighbor, and leaves hosts of scarce types where they are. Then two
// storage nodes at most meet on a channel where they send to a leaf each, and phases to storage stay as they were: 2 and 1,
// 1.5 in the mean.
//
// The repair of all shifts counts the phases themselves (loads/type_phase_loads.h) where there is time, and then leaves the
// pieces: 8 640 hosts with 86 links gone come to 5 / 4.98 under shifts in place of 7 / 5.95, without types to 5 / 4.96.
// It ends there from the pieces of single leaves as well, which the search leaves at 13 / 8.1 and pairs at 9 / 6.5; with each
// leaf's own piece and the next one's all around the pod, or without pieces, three to five storage nodes meet after the
// search, and the repair does not part them all.
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

  // Whether nothing is left out.
  [[nodiscard]] bool are_all() const { return used_.empty(); }
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
