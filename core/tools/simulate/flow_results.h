// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What transfers cost as flows that share channels max-min fairly: seconds and throughput, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/fabric/lanes.h"
#include "core/tools/inputs/source.h"
#include "core/tools/simulate/offered_transfers.h"
#include "core/tools/simulate/simulate.h"

namespace espalier::tools {

struct FlowRun {
  std::string load = "phases";  // or `streams`, or `full`, which needs no `simulation`
  std::uint32_t default_gbps = 100;
  FlowSimulation simulation;
};

// Warns of what takes long, and of what does not arrive; throws Refused where there is too much of it.
[[nodiscard]] nlohmann::ordered_json simulate_flows(const FabricAndTables& loaded, const std::optional<Lanes>& lanes,
                                                    const OfferedTransfers& offered, const FlowRun& run);

}  // namespace espalier::tools
