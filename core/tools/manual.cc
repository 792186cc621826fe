// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/io/file.h"
#include "core/tools/addons.h"
#include "core/tools/command.h"
#include "core/tools/help.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kPageWidth = 72;  // of 80, without the indentation

// troff takes backslashes, hyphens, and dots and quotes at the beginning of a line for its own.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_start = out.empty() || out.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

// "espalier route", "espalier generate pgft".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string options_section(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    if (name.empty() || option->get_group().empty()) continue;
    const std::string word = value_word(*option);
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(name), word.empty() ? "" : " \\fI" + escaped(word) + "\\fR",
                        escaped(full_description(*option)));
  }
  return text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(sub->get_name()), escaped(sub->get_description()));
  return text;
}

std::string synopsis(const CLI::App& command) {
  std::string text = fmt::format(".B {}\n[\\fIOPTIONS\\fR]", escaped(full_name(command)));
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      text += option->get_required() ? fmt::format(" \\fI{}\\fR", escaped(option->get_name(true)))
                                     : fmt::format(" [\\fI{}\\fR]", escaped(option->get_name(true)));
  if (!commands_section(command).empty()) text += " \\fICOMMAND\\fR";
  return text + "\n";
}

constexpr const char* kCompletionArrays =
    "# bash completion of espalier\ndeclare -gA _espalier_options _espalier_values\n";
constexpr const char* kCompletion = R"(if [[ -r ${BASH_SOURCE[0]%/*}/espalier-models ]]; then
  . "${BASH_SOURCE[0]%/*}/espalier-models"
fi
_espalier() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words
  if ((COMP_CWORD == 1)); then
    words="help ${!_espalier_options[*]}"
  elif [[ -n ${_espalier_options["$command $before"]-} ]]; then
    words=${_espalier_options["$command $before"]}
  elif [[ -n ${_espalier_values["$command $before"]-} ]]; then
    words=${_espalier_values["$command $before"]}
  elif [[ $word == -* ]]; then
    words=${_espalier_options[$command]-}
    [[ -n ${_espalier_options["$command ${COMP_WORDS[2]}"]-} ]] && words=${_espalier_options["$command ${COMP_WORDS[2]}"]}
  else
    words=${_espalier_values[$command]-}
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _espalier espalier
)";

// A page of man(7) about one subcommand, or about `app` itself, whose subcommands it lists.
std::string manual_page(const CLI::App& command) {
  std::string upper = page_name(command);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string page = fmt::format(".TH \"{}\" 1 \"\" \"espalier {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper,
                                 ESPALIER_VERSION, escaped(page_name(command)), escaped(command.get_description()));
  page += ".SH SYNOPSIS\n" + synopsis(command);
  if (const std::string options = options_section(command); !options.empty()) page += ".SH OPTIONS\n" + options;
  if (const std::string commands = commands_section(command); !commands.empty()) page += ".SH COMMANDS\n" + commands;
  if (const std::string notes = command.get_footer(); !notes.empty())
    page += fmt::format(".SH NOTES\n.nf\n{}.fi\n", escaped(reflowed(notes, kPageWidth)));
  return page;
}

// Fills bash's associative arrays _espalier_options (by "SUBCOMMAND") and _espalier_values (by "SUBCOMMAND --option").
std::string completion_words(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_parent()->get_parent() == nullptr
                                 ? command->get_name()
                                 : command->get_parent()->get_name() + " " + command->get_name();
    text += fmt::format("_espalier_options[\"{}\"]=\"{}\"\n", name, fmt::join(names_of_options(*command), " "));
    std::vector<std::string> nested;
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
      nested.push_back(sub->get_name());
    if (!nested.empty()) text += fmt::format("_espalier_values[\"{}\"]=\"{}\"\n", name, fmt::join(nested, " "));
    for (const CLI::Option* option : command->get_options())
      for (const std::string& long_name : option->get_lnames())
        if (const std::vector<std::string> words = choices(*option); !words.empty())
          text += fmt::format("_espalier_values[\"{} --{}\"]=\"{}\"\n", name, long_name, fmt::join(words, " "));
    text += completion_words(*command);
  }
  return text;
}

void save_into(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Refused{{fmt::format("cannot create: {}", failed.message()), folder.string(), 0, {}}};
  succeed_or_refuse(write_file((folder / name).string(), text));
}

void write_pages(const CLI::App& command, const std::filesystem::path& folder) {
  save_into(folder, page_name(command) + ".1", manual_page(command));
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) write_pages(*sub, folder);
}

}  // namespace

void add_manual(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("manual", "Write manual pages and completion for bash");
  command->add_option("FOLDER", *folder, "Folder to write: its subfolders man1 and completions")->required();
  command->footer("Example: from a build folder\n  espalier manual here && man -l here/man1/espalier-route.1");
  command->callback([folder, &app] {
    const std::filesystem::path top(*folder);
    const auto is_route = [](const CLI::App* sub) { return sub->get_name() == "route"; };
    const bool whole = !app.get_subcommands(is_route).empty();  // and not espalier-models
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      if ((whole || sub->get_name() != "manual") && sub->get_group() != (whole ? kModelsGroup : kCommandGroup))
        write_pages(*sub, top / "man1");
    if (whole) save_into(top / "man1", "espalier.1", manual_page(app));
    const std::string words = completion_words(app);
    save_into(top / "completions", whole ? "espalier" : "espalier-models",
              whole ? kCompletionArrays + words + kCompletion : words);
  });
}

}  // namespace espalier::tools
