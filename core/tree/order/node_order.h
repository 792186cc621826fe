// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Topological ids: the numbers that the modulo of the closed form uses (t_n of Gliksberg 2022, 4.2.1, Algorithm 7).
//
// Hosts of one leaf are numbered in port order, leaves that are near to one another follow one another. Algorithm 7
// finds the nearest group of the lowest remaining leaf and numbers the rest by GUID; with four or more levels that
// tears apart groups of groups. Here the rest is divided by distance again and again, which is what the thesis's
// parallel version does, and equals Algorithm 7 up to three levels.
//
// Ids go on without a gap from leaf to leaf, as printed. One host that reboots would then renumber all hosts behind it:
// on the 8 640-host tree of 4.2.4 that changes 2.6 million of 11.3 million entries, twice a reboot. So whoever routes
// again and again remembers where hosts were (TreeContext::ghosts), and a place keeps its id while nobody is there.
// Giving each leaf as many ids as the fullest needs no memory, but costs: one leaf of XGFT(3;4,3,4;1,4,2) with twice
// the hosts made the worst shift 4 where the printed numbering has 2.
//
// Where jobs number hosts otherwise than by GUID (host_order.h), each leaf stands where the middle one of its hosts
// does in their order; then the above goes by that in place of GUIDs, and on a leaf hosts follow that order in place of
// ports. So leaves and pods come in the order of jobs as far as nearness allows.
//
// Only hosts are numbered together: an Aggregation Node between two hosts would shift the modulo of all that follow.
// Other end ports, and switches, have sequences of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct NodeOrder {
  std::vector<EndportId> hosts;                   // all hosts, by ascending topological id
  std::vector<EndportId> jobs;                    // all hosts, as jobs number them; without an order given as `hosts`
  IdVector<EndportId, std::uint32_t> of_endport;  // topological id; of an Aggregation Node: that of its switch
  IdVector<SwitchId, std::uint32_t> of_switch;    // position among the switches of the same level
};

// `jobs`: all hosts of the tree as jobs number them; empty: by GUID and port.
[[nodiscard]] NodeOrder topological_order(const FatTree& tree, const UpDownCosts& costs,
                                          std::span<const EndportId> jobs = {});

// The least LMC of all hosts; 0 where there are none.
[[nodiscard]] std::uint8_t least_lmc(const Fabric& fabric, const NodeOrder& order);

}  // namespace espalier
