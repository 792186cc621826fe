// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/base/number.h"
#include "core/tools/help.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kTypos = 2;  // how many letters may be wrong for a suggestion

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, substituted}));
    }
  }
  return row.back();
}

// " (did you mean X?)", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::min_element(
      known.begin(), known.end(), [&](const auto& a, const auto& b) { return distance(word, a) < distance(word, b); });
  return nearest == known.end() || distance(word, *nearest) > kTypos ? ""
                                                                     : fmt::format(" (did you mean {}?)", *nearest);
}

std::vector<std::string> names_of_subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// Of "generate" and "graph", whose kinds are subcommands of their own. Empty where the kind is not what is wrong.
std::string explain_kind(const CLI::App& command, const std::vector<std::string>& arguments) {
  const std::vector<std::string> kinds = names_of_subcommands(command);
  const auto name = std::find(arguments.begin(), arguments.end(), command.get_name());
  if (kinds.empty() || name == arguments.end()) return {};
  const auto first = name + 1;
  const auto kind = std::find_first_of(first, arguments.end(), kinds.begin(), kinds.end());
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  if (kind != arguments.end()) {
    const auto option = std::find_if(first, kind, is_option);
    return option == kind ? "" : fmt::format("give {} after {} {}", *option, command.get_name(), *kind);
  }
  const auto word = std::find_if_not(first, arguments.end(), is_option);
  const std::string known = fmt::format("the kinds are {}", fmt::join(kinds, ", "));
  if (word == arguments.end()) return fmt::format("{} requires a kind; {}", command.get_name(), known);
  return fmt::format("{} has no kind {}{}; {}", command.get_name(), *word, suggestion(*word, kinds), known);
}

// Of an option without its value CLI11 says what it lists in its own help: the type with all values.
std::string explain_missing_value(const CLI::App& command, const CLI::ParseError& error) {
  for (const CLI::Option* option : command.get_options())
    if (error.what() == fmt::format("{}: 1 required {} missing", option->get_name(), option->get_type_name()))
      return fmt::format("{} requires {}", option->get_name(), value_word(*option));
  return error.what();
}

}  // namespace

CLI::Validator from_zero() {
  return CLI::Validator(
      [](std::string& word) {
        const auto number = parse_number<double>(word);
        return number && *number >= 0 ? std::string() : fmt::format("\"{}\" is not a number from 0 up", word);
      },
      "0 or more");
}

CLI::Validator number_of_lanes() {
  return CLI::Validator(
      [](std::string& word) {
        const bool is_one = word == "1" || word == "2" || word == "4" || word == "8" || word == "15";
        return is_one ? std::string() : fmt::format("links have 1, 2, 4, 8 or 15 data lanes, not {}", word);
      },
      "1, 2, 4, 8 or 15");
}

std::vector<std::string> with_help_as_option(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())  // in the help
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto word =
        std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return !a.starts_with('-'); });
    if (word == arguments.end()) return fmt::format("{}; see espalier --help", error.what());
    return fmt::format("unknown subcommand {}{}; see espalier --help", *word,
                       suggestion(*word, names_of_subcommands(app)));
  }
  const CLI::App& command = *chosen.front();
  const std::string help = fmt::format("see espalier {} --help", command.get_name());
  if (const std::string kind = explain_kind(command, arguments); !kind.empty())
    return fmt::format("{}; {}", kind, help);
  const std::vector<std::string> rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty())
    return fmt::format("{}; {}", explain_missing_value(command, error), help);
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& a) { return a.starts_with('-'); });
  if (option == rest.end())
    return fmt::format("{} takes fewer arguments: {} is one too many; {}", command.get_name(), rest.front(), help);
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("{} has no option {}{}; {}", command.get_name(), name, suggestion(name, names_of_options(command)),
                     help);
}

}  // namespace espalier::tools
