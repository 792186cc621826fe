// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/number.h"
#include "core/io/spelling.h"
#include "core/tools/help.h"

namespace espalier::tools {
namespace {

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
  return fmt::format("{} has no kind {}{}; {}", command.get_name(), *word, did_you_mean(*word, kinds), known);
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
                       did_you_mean(*word, names_of_subcommands(app)));
  }
  const CLI::App& first = *chosen.front();
  if (const std::string kind = explain_kind(first, arguments); !kind.empty())
    return fmt::format("{}; see espalier {} --help", kind, first.get_name());
  const std::vector<CLI::App*> kinds = first.get_subcommands();
  const CLI::App& command = kinds.empty() ? first : *kinds.front();
  const std::string name_of_command =
      kinds.empty() ? first.get_name() : fmt::format("{} {}", first.get_name(), command.get_name());
  const std::string help = fmt::format("see espalier {} --help", name_of_command);
  const std::vector<std::string> rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty())
    return fmt::format("{}; {}", explain_missing_value(command, error), help);
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& a) { return a.starts_with('-'); });
  if (option == rest.end())
    return fmt::format("{} takes fewer arguments: {} is one too many; {}", name_of_command, rest.front(), help);
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("{} has no option {}{}; {}", name_of_command, name, did_you_mean(name, names_of_options(command)),
                     help);
}

}  // namespace espalier::tools
