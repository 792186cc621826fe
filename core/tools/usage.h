// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the command says to a command line that it does not understand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace espalier::tools {

// "help" and "help NAME" as "--help" and "NAME --help"; everything else as it is. Without the program's name.
[[nodiscard]] std::vector<std::string> with_help_as_option(int argc, char** argv);

// One line: what is wrong, what may have been meant, and the help page that says more.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace espalier::tools
