// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How long the routes are: the effective diameter nu of Gliksberg 2022, 2.3.3, and how many routes are detours.
//
// Lengths between hosts are in links as the thesis counts them, the two links of the hosts included: 2 on one leaf, 4
// over one further switch level, 6 over the top of a three-level tree.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/table_rows.h"

namespace espalier {

struct HopReport {
  // Over ordered pairs of different hosts that arrive:
  std::uint64_t num_pairs = 0;
  std::vector<std::uint64_t> pairs_of_length;  // [links]
  std::uint64_t num_detours = 0;               // pairs with a route longer than the shortest path in the fabric
  std::uint64_t unrouted = 0;                  // pairs that do not arrive

  // Links of the longest route between hosts; 0 without hosts.
  [[nodiscard]] std::uint32_t diameter() const;
  // nu: mean length in links; 0 without pairs.
  [[nodiscard]] double mean() const;
};

// O(leaves x hosts x length + leaves x channels), parallel.
[[nodiscard]] HopReport count_hops(const Fabric& fabric, const ForwardingTables& tables,
                                   const std::vector<EndportId>& hosts);

// Switch-to-switch links that a packet for `lid` crosses from each switch; kNoHops from where it does not arrive.
inline constexpr std::uint32_t kNoHops = 0xFFFFFFFF;
void hops_to(const Fabric& fabric, const TableRows& tables, Lid lid, std::vector<std::uint32_t>& links);

}  // namespace espalier
