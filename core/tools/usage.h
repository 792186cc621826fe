// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the command says to a command line that it does not understand.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"

namespace espalier::tools {

// Words for values, pairs of both, with the words in the help. (What CLI11 says to another word shows the values as well,
// those of one byte as control characters.)
template <class Values>
[[nodiscard]] CLI::Validator word_for(const Values& values) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  const auto to_value = [words, transform = CLI::CheckedTransformer(values)](std::string& word) {
    return transform(word).empty() ? "" : fmt::format("{} not in {{{}}}", word, fmt::join(words, ","));
  };
  return CLI::Validator(to_value, fmt::format("one of {}", fmt::join(words, ", ")));
}

// An enum by its names.
template <class Enum, std::size_t N>
[[nodiscard]] CLI::Validator named(const EnumNames<Enum, N>& names) {
  std::vector<std::pair<std::string, Enum>> values;
  for (const std::string_view name : names.all()) values.emplace_back(name, *names.find(name));
  return word_for(values);
}

// The name of a value of an enum.
template <class Enum, std::size_t N>
[[nodiscard]] CLI::Validator is_one_of(const EnumNames<Enum, N>& names) {
  return CLI::IsMember(std::vector<std::string>(names.all().begin(), names.all().end()));
}

// A number that is not negative. (What CLI11 says to another one spells out the largest that a double holds.)
[[nodiscard]] CLI::Validator from_zero();

// How many data lanes links can have (PortInfo:VLCap).
[[nodiscard]] CLI::Validator number_of_lanes();

// "help" and "help NAME" as "--help" and "NAME --help"; everything else as it is. Without the program's name.
[[nodiscard]] std::vector<std::string> with_help_as_option(int argc, char** argv);

// "--help" and all others that are words.
[[nodiscard]] std::vector<std::string> names_of_options(const CLI::App& command);

// One line: what is wrong, what may have been meant, and the help page that says more.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace espalier::tools
