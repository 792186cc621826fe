// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/host_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/io/scanner.h"

namespace espalier::io {
namespace {

constexpr std::array<std::string_view, 8> kVendorWords{"Mellanox", "QLogic",     "Voltaire", "Intel",
                                                       "Oracle",   "InfiniHost", "HCA",      "localhost"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_host_char(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

// "MT25408", Mellanox's name of a chip.
bool is_chip(std::string_view word) {
  return word.size() >= 6 && word.substr(0, 2) == "MT" && std::all_of(word.begin() + 2, word.end(), is_digit);
}

// A name as its text and the digits at its end. Numbers that do not fit 9 digits stay part of the text.
struct Split {
  std::string_view text;
  std::string_view digits;
};

Split split(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && name.size() - end < 9 && is_digit(name[end - 1])) --end;
  return {name.substr(0, end), name.substr(end)};
}

// "1-3,7". REQUIRES: ascending, without doubles.
std::string ranges(const std::vector<std::uint32_t>& numbers, std::size_t width) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    text += fmt::format("{}{:0{}}", text.empty() ? "" : ",", numbers[begin], width);
    if (end - begin > 1) text += fmt::format("-{:0{}}", numbers[end - 1], width);
  }
  return text;
}

}  // namespace

std::optional<std::string> host_in_description(std::string_view description) {
  Scanner words(description);
  words.skip_blanks();
  const std::string_view name = words.eat_word(".");
  if (name.empty() || !(is_letter(name.front()) || is_digit(name.front())) || is_chip(name)) return std::nullopt;
  if (!std::all_of(name.begin(), name.end(), is_host_char)) return std::nullopt;
  if (std::find(kVendorWords.begin(), kVendorWords.end(), name) != kVendorWords.end()) return std::nullopt;
  return std::string(name);
}

std::string host_list(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::map<std::pair<std::string_view, std::size_t>, std::vector<std::uint32_t>> groups;  // (text, digits) -> numbers
  for (const std::string& name : names) {
    const Split parts = split(name);
    const auto number = Scanner(parts.digits).eat_number<std::uint32_t>();
    groups[{parts.text, parts.digits.size()}].push_back(number.value_or(0));
  }
  std::string text;
  for (const auto& [key, numbers] : groups) {
    text += text.empty() ? "" : ",";
    text += key.first;
    if (key.second == 0) continue;
    const std::string list = ranges(numbers, key.second);
    text += numbers.size() == 1 ? list : "[" + list + "]";
  }
  return text;
}

}  // namespace espalier::io
