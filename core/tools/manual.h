// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Manual pages and completion for bash, made of what --help says, so that they cannot differ from it.
#pragma once

#include <string>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// A page of man(7) about one subcommand, or about `app` itself, whose subcommands it lists.
[[nodiscard]] std::string manual_page(const CLI::App& command);

// Fills bash's associative arrays _espalier_options (by "SUBCOMMAND") and _espalier_values (by "SUBCOMMAND --option").
[[nodiscard]] std::string completion_words(const CLI::App& app);

// The subcommand `manual`, which writes both into a folder.
void add_manual(CLI::App& app);

}  // namespace espalier::tools
