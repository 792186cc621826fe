// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The program `espalier-models`, a package of its own: the subcommands that need SimGrid or Clp, which a head node does
// not want. `espalier simulate` and `espalier throughput` become it (addons.h).
#include "core/tools/commands.h"
#include "core/tools/program.h"

int main(int argc, char** argv) {
  namespace tools = espalier::tools;
  return tools::run({.subcommands = {tools::add_simulate, tools::add_throughput}}, argc, argv);
}
