// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The command `espalier`: its subcommands, in the order of --help. Those of espalier-models are in models_main.cc.
#include "core/tools/addons.h"
#include "core/tools/commands.h"
#include "core/tools/program.h"
#include "core/tools/report/watch.h"

int main(int argc, char** argv) {
  namespace tools = espalier::tools;
  const tools::Program program{
      .subcommands = {tools::add_generate, tools::add_graph,   tools::add_modify,  tools::add_degrade,
                      tools::add_check,    tools::add_rank,    tools::add_types,   tools::add_route,
                      tools::add_record,   tools::add_repair,  tools::add_verify,  tools::add_diff,
                      tools::add_analyze,  tools::add_compare, tools::add_advise,  tools::add_whatif,
                      tools::add_explain,  tools::add_report,  tools::add_convert, tools::add_schedule,
                      tools::add_simulate, tools::add_doctor,  tools::add_watch,   tools::add_addons},
      .before = tools::run_addon};
  return tools::run(program, argc, argv);
}
