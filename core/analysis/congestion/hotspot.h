// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Scatter and gather, one host with all others (Gliksberg 2022, 2.2.1), for every host. By its definition mu of such
// traffic is at most 1: the one host is what limits it. What can differ between routes is Xi, the flows on the fullest
// channel between switches: how much of it stands in one queue.
#pragma once

#include "core/analysis/congestion/risk_distribution.h"
#include "core/analysis/routes/host_routes.h"

namespace espalier {

// Instead of mu: Xi in shares when this host sends to all others, by rank. One walk per (leaf, host).
[[nodiscard]] RiskDistribution scatter_load(const HostRoutes& routes, Progress* progress = nullptr);

// Likewise when all others send to this host.
[[nodiscard]] RiskDistribution gather_load(const HostRoutes& routes, Progress* progress = nullptr);

}  // namespace espalier
