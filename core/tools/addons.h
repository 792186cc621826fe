// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Subcommands that another package brings: they are listed in --help, and the command becomes the program that has
// them.
#pragma once

#include <string>
#include <vector>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

inline constexpr const char* kAddonGroup = "Subcommands of the package espalier-models";

// So that --help lists them.
void add_addons(CLI::App& app);

// Returns when the first argument is no such subcommand. Otherwise replaces this process by the program, which it looks
// for beside the own one and in PATH; throws Refused, with the package to install, when there is none.
void run_addon(const std::vector<std::string>& arguments);

}  // namespace espalier::tools
