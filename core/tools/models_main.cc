// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The program `espalier-models`, a package of its own: what needs SimGrid or Clp, which a head node does not want.
// `espalier throughput`, and `espalier simulate` of flows that end, become it (addons.h).
#include <CLI/CLI.hpp>

#include "core/simulation/flow_simulation.h"
#include "core/tools/addons.h"
#include "core/tools/commands.h"
#include "core/tools/program.h"
#include "core/tools/simulate/simulate.h"

namespace espalier::tools {
namespace {

void add_simulate_with_flows(CLI::App& app) {
  add_simulate(app, {.phases = simulate_phases, .streams = simulate_streams});
  app.get_subcommand("simulate")->group(kCommandGroup);
}

}  // namespace
}  // namespace espalier::tools

int main(int argc, char** argv) {
  namespace tools = espalier::tools;
  return tools::run({.subcommands = {tools::add_simulate_with_flows, tools::add_throughput}}, argc, argv);
}
