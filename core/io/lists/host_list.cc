// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/host_list.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/sort_unique.h"
#include "core/io/scanner.h"

namespace espalier::io {
namespace {

// A name as its text and the digits at its end. Numbers that do not fit 9 digits stay part of the text.
struct NumberedName {
  std::string_view text;
  std::string_view digits;
};

NumberedName numbered(std::string_view name) {
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

std::string host_list(std::vector<std::string> names) {
  sort_unique(names);
  std::map<std::pair<std::string_view, std::size_t>, std::vector<std::uint32_t>> groups;  // (text, digits) -> numbers
  for (const std::string& name : names) {
    const NumberedName parts = numbered(name);
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
