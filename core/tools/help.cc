// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/help.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/split.h"

namespace espalier::tools {
namespace {

// What options of type TEXT take, by name. Those not listed take one of some words if they have such, else a file. An
// option for which its name means something else says so itself, with type_name().
constexpr std::array kValueWords{
    std::pair{"against", "NET2 LFTS2"}, std::pair{"also", "LIST"},         std::pair{"ca", "ADAPTER"},
    std::pair{"damage", "DAMAGE"},      std::pair{"engine", "ENGINE"},     std::pair{"engines", "ENGINES"},
    std::pair{"from", "NODE"},          std::pair{"group-names", "REGEX"}, std::pair{"host-order", "ORDER"},
    std::pair{"lid-offset", "OFFSETS"}, std::pair{"lmc", "NUMBER|min"},    std::pair{"load", "LOAD"},
    std::pair{"objective", "LIST"},     std::pair{"pattern", "PATTERN"},   std::pair{"patterns", "PATTERNS"},
    std::pair{"policy", "WORD"},        std::pair{"preset", "WORD"},       std::pair{"rail", "REGEX"},
    std::pair{"shard", "I/N"},          std::pair{"share", "HOST HOST"},   std::pair{"sm", "HOST"},
    std::pair{"stock", "ENGINES"},      std::pair{"title", "TITLE"},       std::pair{"to", "NODE"},
    std::pair{"traffic", "TRAFFIC"},
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "0 to 7", of CLI::Range's "INT in [0 - 7]"; else what from_zero() and number_of_lanes() say.
std::string range_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':'), open = type.find(" in [");
  if (colon == std::string::npos || !choices(option).empty()) return {};
  if (open == std::string::npos) return type.substr(colon + 1);
  std::string range = type.substr(open + 5, type.find(']') - open - 5);
  range.replace(range.find(" - "), 3, " to ");
  return range;
}

// The names of the options that `known` does not mention.
std::string names_beyond(std::string_view known, const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options)
    if (!contains(known, option->get_name())) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());  // the set is in the order of addresses
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t columns() {
  winsize window{};
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
  constexpr std::size_t kLeast = 80, kMost = 100;
  return is_terminal ? std::clamp<std::size_t>(window.ws_col, kLeast, kMost) : kMost;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Where the text behind a word stands in "  word   text", the last column of a table; in prose the indentation.
std::size_t text_column(std::string_view line) {
  constexpr std::size_t kLast = 60;
  std::size_t column = indent_of(line);
  for (std::size_t at = column; (at = line.find("  ", at)) < kLast;) at = column = line.find_first_not_of(' ', at);
  return std::min(column, line.size());
}

// Whether `next` goes on with the sentence of `line`, whose text begins at `column`: below it in a table, and in prose
// if its first word had no room.
bool goes_on(std::string_view line, std::string_view next, std::size_t column) {
  constexpr std::size_t kFull = 95;
  if (next.empty() || indent_of(next) != column || next.starts_with("Example")) return false;
  const std::string_view text = next.substr(column);
  return column > indent_of(line) || line.size() + 1 + text.substr(0, text.find(' ')).size() > kFull;
}

// Text that begins in column `indent` of a line, in lines of at most `width`, the others indented as much; where the text
// has a line break, so has the result.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (bool is_first = true; is_first || !text.empty(); is_first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!is_first) out += '\n' + std::string(indent, ' ');
    std::size_t column = indent;
    for (const std::string_view word : split_words(text.substr(0, end), " ")) {
      const bool fits = column == indent || column + 1 + word.size() <= width;
      if (!fits) out += '\n' + std::string(column = indent, ' ');
      if (column > indent) out += ' ';
      column += word.size() + (column > indent ? 1 : 0);
      out += word;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string word = value_word(*option);
    return row(make_option_name(option, is_positional) + (word.empty() ? "" : " ") + word, full_description(*option));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return row(command->get_name(), command->get_description());
  }

  std::string make_footer(const CLI::App* command) const override {
    return command->get_footer().empty() ? std::string() : reflowed(command->get_footer(), columns());
  }

  // CLI11 leaves a line between a group and the next one, also where the next one is that of hidden options.
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = Formatter::make_help(command, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != text.npos;) text.erase(at, 1);
    return text;
  }

 private:
  // The description begins beside the name if that is short enough, else below it.
  [[nodiscard]] std::string row(const std::string& name, const std::string& description) const {
    const std::size_t indent = get_column_width();
    const std::string head = name.size() + 2 < indent ? fmt::format("  {:<{}}", name, indent - 2)
                                                      : fmt::format("  {}\n{:<{}}", name, "", indent);
    return head + wrapped(description, columns(), indent) + '\n';
  }
};

}  // namespace

std::string value_word(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_type_size() == 0 || option.get_positional()) return {};
  const std::string plain = type.substr(0, type.find(':'));
  if (plain == "UINT" || plain == "INT" || plain == "FLOAT") return "NUMBER";
  if (plain != "TEXT" && plain != "ENUM") return plain;  // its own type_name()
  const auto named = std::find_if(kValueWords.begin(), kValueWords.end(),
                                  [&](const auto& entry) { return option.check_lname(entry.first); });
  if (named != kValueWords.end()) return named->second;
  return choices(option).empty() ? "FILE" : "WORD";
}

std::vector<std::string> choices(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (const std::size_t open = type.find('{'); open != std::string::npos)
    type = type.substr(open + 1, type.find('}') - open - 1);
  else if (const std::size_t words = type.find("one of "); words != std::string::npos)
    type = type.substr(words + 7);
  else
    return {};
  std::replace(type.begin(), type.end(), ',', ' ');
  const auto words = split_words(type, " ");
  return {words.begin(), words.end()};
}

std::string full_description(const CLI::Option& option) {
  const std::string& text = option.get_description();
  const std::vector<std::string> words = choices(option);
  std::vector<std::string> notes;
  if (!std::all_of(words.begin(), words.end(), [&](const auto& word) { return contains(text, word); }))
    notes.push_back(fmt::format("one of {}", fmt::join(words, ", ")));
  if (const std::string range = range_of(option); !range.empty()) notes.push_back(range);
  if (std::string value = option.get_default_str(); !value.empty()) {
    if (value.front() == '[') value = value.substr(1, value.size() - 2);  // a list
    notes.push_back("default: " + value);
  }
  if (option.get_required() && option.nonpositional()) notes.emplace_back("required");
  if (const auto needed = names_beyond(text + option.get_group(), option.get_needs()); !needed.empty())
    notes.push_back("with " + needed);
  if (const auto excluded = names_beyond({}, option.get_excludes()); !excluded.empty())
    notes.push_back("not with " + excluded);
  if (notes.empty()) return text;
  std::string whole = text;
  const std::size_t end_of_sentence = std::min(text.find('\n'), text.size());  // where a list begins
  return whole.insert(end_of_sentence, fmt::format(" ({})", fmt::join(notes, "; ")));
}

std::string reflowed(std::string_view text, std::size_t width) {
  const std::vector<std::string_view> lines = split(text, '\n');
  std::string out;
  bool is_example = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    is_example = lines[i].starts_with("Example") || (is_example && lines[i].starts_with("  "));
    const std::size_t column = is_example ? 0 : text_column(lines[i]);
    std::string sentence(lines[i].substr(column));
    out += lines[i].substr(0, column);
    for (const std::size_t first = i; !is_example && i + 1 < lines.size(); ++i) {
      const bool is_table = column > indent_of(lines[first]);
      if (!goes_on(is_table ? lines[first] : lines[i], lines[i + 1], column)) break;
      sentence += fmt::format(" {}", lines[i + 1].substr(column));
    }
    out += (is_example ? sentence : wrapped(sentence, width, column)) + '\n';
  }
  return out;
}

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace espalier::tools
