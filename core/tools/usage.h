// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the command says to a command line that it does not understand.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace espalier::tools {

// One of the words of an option, with the words alone in its help. (CLI11 prints the numbers of an enumeration as
// well.)
template <class Value>
[[nodiscard]] CLI::Validator words_of(const std::map<std::string, Value>& values) {
  std::string words;
  for (const auto& [word, value] : values) words += (words.empty() ? "" : ", ") + word;
  return CLI::CheckedTransformer(values).description("one of " + words);
}

// "help" and "help NAME" as "--help" and "NAME --help"; everything else as it is. Without the program's name.
[[nodiscard]] std::vector<std::string> with_help_as_option(int argc, char** argv);

// One line: what is wrong, what may have been meant, and the help page that says more.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace espalier::tools
