// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/given_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

namespace espalier {
namespace {

constexpr std::size_t kMaxPatternLength = 1000;

}  // namespace

Result<GroupNames> groups_by_name(const Fabric& fabric, const std::string& pattern) {
  if (pattern.size() > kMaxPatternLength)
    return fail(fmt::format("the regular expression has {} characters; at most {} are allowed", pattern.size(),
                            kMaxPatternLength));
  GroupNames names(fabric.num_switches());
  bool any = false;
  try {
    // The automaton that takes polynomial time on every expression.
    const std::regex regex(pattern, std::regex_constants::ECMAScript | std::regex_constants::__polynomial);
    for (const SwitchId s : fabric.switches()) {
      std::smatch match;
      if (!std::regex_search(fabric.at(s).description, match, regex)) continue;
      names[s] = match.size() > 1 ? match[1].str() : match[0].str();
      any = any || !names[s].empty();
    }
  } catch (const std::regex_error& error) {
    return fail(fmt::format("\"{}\" is not a supported regular expression: {}", pattern, error.what()),
                "use ECMAScript syntax without back references");
  }
  if (!any)
    return fail(fmt::format("\"{}\" matches the description of no switch", pattern), "for example \"group (\\d+)\"");
  return names;
}

std::vector<GroupDifference> compare_groups(const Dragonfly& found, const GroupNames& given) {
  std::vector<GroupDifference> differences;
  for (std::size_t g = 0; g < found.num_groups(); ++g) {
    std::map<std::string, std::size_t> votes;
    for (const SwitchId s : found.routers(g))
      if (!given[s].empty()) ++votes[given[s]];
    if (votes.empty()) continue;
    const auto most =
        std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const SwitchId s : found.routers(g))
      if (!given[s].empty() && given[s] != most->first) differences.push_back({s, given[s], most->first});
  }
  return differences;
}

}  // namespace espalier
