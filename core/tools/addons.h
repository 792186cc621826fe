// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the package espalier-models brings: for that the process becomes the program of the same name, which is looked
// for beside the own one and in PATH. Without it, Refused says which package to install.
#pragma once

#include <string>
#include <vector>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// Headings of --help for subcommands that another package documents.
inline constexpr const char* kModelsGroup = "Subcommands of the package espalier-models";
inline constexpr const char* kCommandGroup = "Subcommands of the package espalier";

// So that --help lists its subcommand.
void add_addons(CLI::App& app);

// Becomes that program when the first argument is its subcommand; otherwise returns.
void run_addon(const std::vector<std::string>& arguments);

// Becomes that program, with the words with which this one was called. `what` it is needed for; `advice` if it is missing.
[[noreturn]] void become_models(const std::string& what, const std::string& advice = "install it");

}  // namespace espalier::tools
