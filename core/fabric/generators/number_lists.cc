// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/number_lists.h"

#include <fmt/format.h>

#include "core/base/number.h"
#include "core/base/split.h"

namespace espalier {
namespace {

// 0 when `word` is not a number of 1 .. kMaxListedNumber.
unsigned number(std::string_view word) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
  return parse_number<unsigned>(word, 1, kMaxListedNumber).value_or(0);
}

}  // namespace

Result<NumberLists> parse_number_lists(std::string_view text) {
  NumberLists lists;
  for (const std::string_view part : split(text, ';')) {
    std::vector<unsigned>& list = lists.emplace_back();
    for (const std::string_view word : split(part, ',')) {
      list.push_back(number(word));
      if (list.back() == 0) return fail(fmt::format("\"{}\" is not a number of 1 to {}", word, kMaxListedNumber));
    }
  }
  return lists;
}

}  // namespace espalier
