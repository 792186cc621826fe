// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the programs `espalier` and `espalier-models` have in common: they differ in their subcommands alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

struct Program {
  std::vector<void (*)(CLI::App&)> subcommands;
  // Called with the arguments before they are parsed.
  std::function<void(const std::vector<std::string>&)> before = [](const auto&) {};
};

// Parses the command line, runs the subcommand, and turns what it throws into one line and an exit code (command.h).
[[nodiscard]] int run(const Program& program, int argc, char** argv);

}  // namespace espalier::tools
