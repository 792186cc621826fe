// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Options that many subcommands have, each in the same words.
#pragma once

#include <string>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// -j and --threads, for with_threads(). `note`: what else --help says of it.
void add_threads_option(CLI::App& command, unsigned& threads, const std::string& note = {});

// --roots and --cn-guids, and --switch-rules: files for load_rank_options().
void add_rank_options(CLI::App& command, std::string& roots, std::string& compute);
void add_switch_rules_option(CLI::App& command, std::string& switch_rules);

// --vls, for EngineOptions::max_vls.
void add_vls_option(CLI::App& command, unsigned& max_vls);

}  // namespace espalier::tools
