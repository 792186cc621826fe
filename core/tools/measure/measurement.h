// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The figures that analyze prints and compare records.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/congestion/route_changes.h"
#include "core/analysis/congestion/traffic.h"
#include "core/analysis/routes/host_routes.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/node_types.h"

namespace espalier::tools {

// What is measured besides the patterns.
enum class Extra : std::uint8_t {
  kDistances,  // core/analysis/routes/hops.h
  kLengths,    // ditto, pairs by length
  kKsp,        // core/graphs/realized_paths.h
  kLevels,     // core/analysis/congestion/level_loads.h, of a2a and the patterns up to ring
  kBalance,    // core/analysis/congestion/visible_balance.h
  kDisjoint,   // core/analysis/routes/disjoint_paths.h
  kBound,      // core/analysis/congestion/bound.h, of a2a, sp, rp and phase
};

struct MeasureOptions {
  LidUse lids;           // which of a destination's LIDs traffic uses
  std::set<Extra> also;  // none is the default
  NodeTypes types = {};  // of the fabric's end ports: pattern `phase` may name them; empty: none
  HostOrder order = {};  // how the hosts came into their order: its basis is told, its parts are measured as well
};

// The words of --patterns, at most one of each kind, or Refused.
[[nodiscard]] std::vector<TrafficPattern> patterns_or_refuse(const std::string& list);

// "sp,rp:200"; above 2 048 hosts every 16th shift only.
[[nodiscard]] std::string shifts_and_permutations(std::size_t num_hosts);

// The metrics of core/analysis under these patterns, one flat object: hosts, switches, and
//   a2a      xi_a2a, Xi_a2a, mu_a2a
//   sp       mu_sp_max, mu_sp_mean
//   rp       mu_rp_median, mu_rp_q1, mu_rp_q3, mu_rp_q40_1, mu_rp_q40_39, mu_rp_mean, mu_rp_max, mu_rp_stderr,
//   mu_rp_draws;
//            likewise bisect, bibisect, ring, biring
//   scatter  Xi_scatter_max, Xi_scatter_mean; likewise gather
//   phase    mu_phase_max, mu_phase_mean, mu_phase_all (all pairs at one time), and the same with mu_phase_back_
//   matrix   mu_matrix, Xi_matrix, load_matrix (the most weight on one channel), flows_matrix
//   advg     load_advg_N, the most on a channel where each host sends at rate 1, and throughput_advg_N, the rate at
//            which that channel is full, at most 1; likewise load_advl_N, load_mixed_N_M_P
// and where links between switches carry more or less than those of most hosts (fabric/capacities.h), host_rate and
//   mu_sp_max_per_capacity, mu_sp_mean_per_capacity, mu_rp_median_per_capacity, Xi_a2a_per_capacity,
//   load_matrix_per_capacity: flows by what the link carries in full rates of a host
// in flows between hosts, links of hosts left out; with LIDs used evenly they may be fractions. unrouted_a2a and so on
// where flows do not arrive: how many of them. Extras:
//   kDistances  nu (mean links between hosts), diameter (the most), detours, at LID offset 0
//   kLengths    lengths: pairs of hosts by the links between them, at LID offset 0
//   kKsp        ksp: of the K shortest paths of each pair, as many as a host has LIDs, how many the tables have
//   kLevels     levels_a2a, ...: for each level and direction the channels and their flows
//   kBalance    balance: for each level the LIDs of all end ports per port
//   kDisjoint   disjoint: pairs of hosts by how many of their LIDs' paths share no switch, and how many of them any
//               single fault leaves a path
//   kBound      bound: the least that mu_sp_max and so on can be with any tables, and the cut that says so;
//               of a2a and sp alone where traffic is spread over LIDs
// Before these host_order, what the hosts are numbered by, if the options know; behind them parts: of each part of the
// order its name, hosts and weight, and the same metrics of shifts and random permutations of its hosts alone.
// Ranks are positions in routed.hosts. The same for the same seed, whatever the threads. Shows its progress at a
// terminal. Refused when the file of a pattern is, or when a word of `phase` is neither a type nor a file.
[[nodiscard]] nlohmann::ordered_json measure(const Routed& routed, const std::vector<TrafficPattern>& patterns,
                                             std::uint64_t seed, const MeasureOptions& options = {});

}  // namespace espalier::tools
