// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The balance that a subnet manager can see: how many LIDs of end ports leave a switch by each of its ports. It needs
// the entries alone, no routes: OpenSM's console says "unbalanced" of a switch (`switchbalance`, 3.3.23) when two of
// its ports to other switches differ by more than one LID of any end port, Aggregation Nodes included, up and down
// alike. That says little about congestion: in three levels every switch in the middle is unbalanced, however good the
// routes, because up means most of the fabric and down one leaf. But it is what an admin sees, so here it is, with the
// ports upward on their own beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// LIDs per port, over some ports.
struct PortSpread {
  std::uint32_t num_ports = 0;
  std::uint32_t min = 0;  // 0 without ports
  std::uint32_t max = 0;

  [[nodiscard]] std::uint32_t spread() const { return max - min; }
};

struct SwitchBalance {
  PortSpread all;  // every cabled port to another switch
  PortSpread up;   // those to a switch above
};

// Per switch. Counts every LID of an end port, all offsets, that leaves by a port to another switch.
// O(switches x LIDs). REQUIRES: tables.num_switches() == the number of switches of tree.fabric().
[[nodiscard]] std::vector<SwitchBalance> visible_balance(const FatTree& tree, const ForwardingTables& tables);

// What OpenSM allows before it calls a switch unbalanced.
inline constexpr std::uint32_t kBalancedSpread = 1;

}  // namespace espalier
