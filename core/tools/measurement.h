// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The figures that analyze prints and compare records.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/analysis/route_changes.h"
#include "core/analysis/traffic.h"

namespace espalier::tools {

// The words of --patterns, at most one of each kind, or Refused.
[[nodiscard]] std::vector<TrafficPattern> patterns_or_refuse(const std::string& list);

// The metrics of core/analysis/congestion.h under these patterns, one flat object: hosts, switches, and
//   a2a  xi_a2a, Xi_a2a, mu_a2a
//   sp   mu_sp_max, mu_sp_mean
//   rp   mu_rp_median, mu_rp_q1, mu_rp_q3, mu_rp_mean, mu_rp_max
// and unrouted_a2a, unrouted_sp, unrouted_rp where flows do not arrive: how many of them. Ranks are positions in
// routed.hosts. The same for the same seed, whatever the threads.
[[nodiscard]] nlohmann::ordered_json measure(const Routed& routed, const std::vector<TrafficPattern>& patterns,
                                             std::uint64_t seed);

}  // namespace espalier::tools
