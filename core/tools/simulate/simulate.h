// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate`, with and without SimGrid: packets and full load need none, flows that end do.
#pragma once

#include <span>
#include <vector>

#include "core/simulation/flow_simulation.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// The functions of core/simulation/flow_simulation.h, in the program that has them; in the other both are nullptr.
struct FlowSimulation {
  SimulatedTimes (*phases)(const Fabric&, const ForwardingTables&, std::span<const std::vector<Transfer>>,
                           const SimulationOptions&) = nullptr;
  SimulatedTimes (*streams)(const Fabric&, const ForwardingTables&, std::span<const Transfer>,
                            const SimulationOptions&) = nullptr;
};

// Without `flows` the process becomes the program that has them when they are asked for (addons.h).
void add_simulate(CLI::App& app, const FlowSimulation& flows);

}  // namespace espalier::tools
