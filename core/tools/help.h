// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How --help and the manual pages show an option: one word for what it takes, the rest in sentences. CLI11's own help
// says TEXT of every file, puts all values of an option before its description, and does not wrap lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tools/cli_fwd.h"

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace espalier::tools {

// FILE, NUMBER, ENGINE. Empty for flags, and for arguments without a dash, whose names say it.
[[nodiscard]] std::string value_word(const CLI::Option& option);

// The words that an option takes, if these are few.
[[nodiscard]] std::vector<std::string> choices(const CLI::Option& option);

// The description, and in parentheses what it does not say itself: the choices or the range, the default, whether the
// option is required, and which others it needs or excludes.
[[nodiscard]] std::string full_description(const CLI::Option& option);

// Notes below the options in lines of at most `width`: sentences, and tables whose last column is text; commands below
// "Example" stay as they are.
[[nodiscard]] std::string reflowed(std::string_view text, std::size_t width);

// For the whole command, if it is set before subcommands are added.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace espalier::tools
