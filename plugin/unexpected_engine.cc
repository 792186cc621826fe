// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/unexpected_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/split.h"

namespace espalier {

std::vector<std::string> listed_engines(std::string_view routing_engine) {
  std::vector<std::string> engines;
  for (const std::string_view word : split_words(routing_engine, ", \t\n"))
    if (word != "no_fallback") engines.emplace_back(word);
  return engines;
}

std::string unexpected_engine(const std::vector<std::string>& listed, std::string_view used,
                              const std::function<bool(const std::string&)>& is_known) {
  if (listed.empty() || listed.front() == "(null)" || listed.front() == used) return {};
  const auto first_used = std::find(listed.begin(), listed.end(), used);
  std::vector<std::string> declined;
  std::vector<std::string> unknown;
  for (auto word = listed.begin(); word != first_used; ++word) (is_known(*word) ? declined : unknown).push_back(*word);
  std::vector<std::string> why;
  if (!declined.empty())
    why.push_back(fmt::format("{} declined for the {} given earlier in this log", fmt::join(declined, " and "),
                              declined.size() == 1 ? "reason" : "reasons"));
  if (!unknown.empty())
    why.push_back(fmt::format("OpenSM has no engine named {}; check the spelling", fmt::join(unknown, ", ")));
  if (first_used == listed.end())
    why.push_back(fmt::format("{}, which OpenSM takes when none of the list routes, can form credit loops{}", used,
                              std::find(listed.begin(), listed.end(), "dmodc") == listed.end()
                                  ? "; add dmodc, which routes any fabric, to the list"
                                  : ""));
  return fmt::format("the subnet is routed by {}, but opensm.conf asks for {} first: {}", used, listed.front(),
                     fmt::join(why, "; "));
}

}  // namespace espalier
