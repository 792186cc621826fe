// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/split.h"
#include "core/base/try.h"
#include "core/io/lists/quoted_names.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

using io::Scanner;

constexpr std::size_t kMostHosts = 100'000;  // in one line: a range like [1-999999999] is a slip
constexpr std::size_t kMostDigits = 9;

// What stands before the comma that ends the first name: commas inside quotes or brackets do not.
std::string_view first_name(std::string_view list) {
  if (list.starts_with('"')) return list.substr(0, io::find_unquoted(list, ","));
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') ++depth;
    if (list[i] == ']') --depth;
    if (list[i] == ',' && depth == 0) return list.substr(0, i);
  }
  return list;
}

// "01-03" or "7": the numbers as text, as wide as the first.
Status add_range(std::string_view range, std::vector<std::string>& numbers) {
  Scanner scan(range);
  const std::size_t width = std::min(range.find('-'), range.size());
  const auto first = scan.eat_number<std::uint64_t>();
  auto last = first;
  if (first && scan.eat("-")) last = scan.eat_number<std::uint64_t>();
  if (!first || !last || !scan.done() || width > kMostDigits || *last < *first)
    return fail(fmt::format("\"{}\" is not a range of numbers", range), "write [1-3,7]");
  if (numbers.size() + (*last - *first) >= kMostHosts)
    return fail(fmt::format("\"{}\" stands for too many hosts", range));
  for (std::uint64_t number = *first; number <= *last; ++number)
    numbers.push_back(fmt::format("{:0{}}", number, width));
  return {};
}

// All names that one with brackets stands for, the last bracket turning fastest.
Status add_names(const std::string& begin, std::string_view rest, std::vector<std::string>& names) {
  const std::size_t open = rest.find_first_of("[]");
  if (open == std::string_view::npos) {
    if (names.size() >= kMostHosts) return fail("too many hosts");
    names.push_back(begin + std::string(rest));
    return {};
  }
  const std::size_t close = rest.find(']', open);
  if (rest[open] == ']' || close == std::string_view::npos)
    return fail(fmt::format("unmatched bracket in \"{}{}\"", begin, rest));
  std::vector<std::string> numbers;
  for (const std::string_view range : split(rest.substr(open + 1, close - open - 1), ','))
    if (Status ok = add_range(range, numbers); !ok) return ok;
  for (const std::string& number : numbers)
    if (Status ok = add_names(begin + std::string(rest.substr(0, open)) + number, rest.substr(close + 1), names); !ok)
      return ok;
  return {};
}

// The next word, with what stands in quotes.
std::string_view eat_word_or_quotes(Scanner& scan) {
  const std::string_view text = scan.rest();
  const std::string_view word = text.substr(0, io::find_unquoted(text, io::kBlanks));
  (void)scan.eat(word);
  return word;
}

// "rank 3=node01 slot=0" -> (3, node01); nothing when it is no such line.
std::optional<std::pair<std::uint64_t, std::string_view>> rank_line(std::string_view line) {
  Scanner scan(line);
  if (!scan.eat("rank") || scan.done() || !io::is_blank(scan.rest().front())) return std::nullopt;
  scan.skip_blanks();
  const auto rank = scan.eat_number<std::uint64_t>();
  if (!rank) return std::nullopt;
  scan.skip_blanks();
  if (!scan.eat("=")) return std::nullopt;
  scan.skip_blanks();
  const std::string_view name = eat_word_or_quotes(scan);
  return name.empty() ? std::nullopt : std::optional(std::pair(*rank, name));
}

// The names in a line of a hostfile or list: without ":4" and "slots=4"; only the GUID where a GUID begins the line.
Result<std::vector<std::string>> names_in(std::string_view line) {
  std::vector<std::string> names;
  Scanner scan(line);
  for (scan.skip_blanks(); !scan.done(); scan.skip_blanks()) {
    const std::string_view word = eat_word_or_quotes(scan);
    const bool guid = word.starts_with("0x") || word.starts_with("0X");
    if (guid) {
      names.emplace_back(word);
      break;
    }
    if (io::find_unquoted(word, "=") != std::string_view::npos) continue;
    Result<std::vector<std::string>> some = expand_host_list(word.substr(0, io::find_unquoted(word, ":")));
    if (!some) return some;
    names.insert(names.end(), some->begin(), some->end());
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  for (bool more = true; more;) {
    const std::string_view name = first_name(list);
    more = name.size() < list.size();
    list.remove_prefix(name.size() + (more ? 1 : 0));
    if (name.empty()) continue;
    if (!name.starts_with('"')) {
      ESPALIER_TRY_STATUS(add_names({}, name, names));
      continue;
    }
    ESPALIER_TRY(const std::string_view quoted, io::without_quotes(name));
    names.emplace_back(quoted);
  }
  return names;
}

Result<std::vector<HostWord>> read_rank_order(std::string_view text, const std::string& file_name) {
  std::vector<HostWord> hosts;
  std::map<std::uint64_t, HostWord> ranks;
  std::unordered_set<std::string> seen;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    Scanner scan(io::trim_right(next->substr(0, io::find_unquoted(*next, "#"))));
    scan.skip_blanks();
    if (scan.done()) continue;
    if (const auto ranked = rank_line(scan.rest())) {
      const Result<std::string_view> name = io::without_quotes(ranked->second);
      if (!name) return fail_at(file_name, lines.number(), name.error().message, name.error().advice);
      if (!ranks.emplace(ranked->first, HostWord{std::string(*name), lines.number()}).second)
        return fail_at(file_name, lines.number(), fmt::format("rank {} is listed twice", ranked->first));
    } else {
      Result<std::vector<std::string>> names = names_in(scan.rest());
      if (!names) return fail_at(file_name, lines.number(), names.error().message, names.error().advice);
      for (std::string& name : *names)
        if (seen.insert(name).second) hosts.push_back({std::move(name), lines.number()});
    }
    if (!hosts.empty() && !ranks.empty())
      return fail_at(file_name, lines.number(), "rankfile lines are mixed with other lines",
                     "write \"rank N=HOST slot=S\" in every line or in none");
  }
  for (auto& [rank, host] : ranks)
    if (seen.insert(host.name).second) hosts.push_back(std::move(host));
  if (hosts.empty()) return fail_at(file_name, 0, "it names no host");
  return hosts;
}

}  // namespace espalier
