// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/unexpected_engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace espalier {

std::vector<std::string> listed_engines(std::string_view routing_engine) {
  constexpr std::string_view kSeparators = ", \t\n";
  std::vector<std::string> words;
  for (std::size_t begin = 0;
       (begin = routing_engine.find_first_not_of(kSeparators, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(routing_engine.find_first_of(kSeparators, begin), routing_engine.size());
    words.emplace_back(routing_engine.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string unexpected_engine(const std::vector<std::string>& listed, std::string_view used,
                              const std::function<bool(const std::string&)>& is_known) {
  if (listed.empty() || listed.front() == "(null)" || listed.front() == used) return {};
  std::string unknown;
  for (const std::string& word : listed)
    if (word != "no_fallback" && !is_known(word)) unknown += (unknown.empty() ? "" : ", ") + word;
  const std::string why = unknown.empty()
                              ? fmt::format("{} declined for the reason given earlier in this log", listed.front())
                              : fmt::format("OpenSM has no engine named {}; check the spelling", unknown);
  return fmt::format("the subnet is routed by {}, but opensm.conf asks for {} first: {}", used, listed.front(), why);
}

}  // namespace espalier
