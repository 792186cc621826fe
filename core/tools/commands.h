// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The subcommands of `espalier`, one file each. Each function adds one to `app`; CLI11 calls it after parsing.
//
// To add a subcommand: declare it here, define it in a file of its name, call it in main.cc. Its callback prints its
// result to standard output and everything else to standard error, returns when the answer is yes, and throws
// AnswerIsNo or Refused (command.h) when it is not.
#pragma once

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

void add_generate(CLI::App& app);
void add_graph(CLI::App& app);
void add_modify(CLI::App& app);
void add_degrade(CLI::App& app);
void add_check(CLI::App& app);
void add_rank(CLI::App& app);
void add_types(CLI::App& app);
void add_route(CLI::App& app);
void add_record(CLI::App& app);
void add_repair(CLI::App& app);
void add_verify(CLI::App& app);
void add_diff(CLI::App& app);
void add_analyze(CLI::App& app);
void add_simulate(CLI::App& app);
void add_throughput(CLI::App& app);
void add_compare(CLI::App& app);
void add_explain(CLI::App& app);
void add_report(CLI::App& app);
void add_convert(CLI::App& app);
void add_schedule(CLI::App& app);
void add_whatif(CLI::App& app);
void add_advise(CLI::App& app);
void add_doctor(CLI::App& app);

}  // namespace espalier::tools
