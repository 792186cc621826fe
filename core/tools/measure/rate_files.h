// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `espalier throughput` writes of its rates: for hosts that stripe over LIDs, and for simulations.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/fabric/fabric.h"
#include "core/io/lists/path_shares_file.h"
#include "core/throughput/path_problem.h"

namespace espalier::tools {

// `flows` are between places in `hosts`, and what `problem` and `rates` are about.

// A line for each pair of hosts with a flow: "0xSOURCE 0xDESTINATION OFFSET:WEIGHT ...  # names"; weights sum to 1.
// REQUIRES: the paths are those of tables, so that each has an offset.
[[nodiscard]] std::string weights_text(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                       const std::vector<Flow>& flows, const PathProblem& problem,
                                       const FlowRates& rates_of_flows);

// The paths that flows use, by their rates.
[[nodiscard]] std::vector<PathShare> path_shares(const std::vector<EndportId>& hosts, const std::vector<Flow>& flows,
                                                 const PathProblem& problem, const FlowRates& rates);

}  // namespace espalier::tools
