// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/sort_unique.h"
#include "core/base/text.h"
#include "core/tree/demote.h"

namespace espalier {
namespace {

using IrregularityKind = Irregularity::Kind;

constexpr std::size_t kMostExclusionTrials = 32;  // one by one, where not all can be left out

std::vector<SwitchId> matched(const Fabric& fabric, const NodeTypeRule& rule) {
  std::vector<SwitchId> found;
  for (const SwitchId s : fabric.switches())
    if (rule.matches(fabric.at(s))) found.push_back(s);
  return found;
}

struct Candidate {
  SwitchId s = kNoSwitch;
  std::string why;
};

std::size_t links_down(const FatTree& tree, SwitchId s) {
  std::size_t links = 0;
  for (const PortGroup& down : tree.down_groups(s)) links += down.num_ports;
  return links;
}

// Top switches with too few of the links that most tops of their level have.
std::vector<Candidate> weak_spines(const FatTree& tree, double threshold) {
  std::map<Level, std::map<std::size_t, std::size_t>> usual;  // per level: how many tops have so many links
  const auto is_top = [&](SwitchId s) {
    return tree.up_groups(s).empty() && !tree.down_groups(s).empty() && tree.hosts(s).empty();
  };
  for (const SwitchId s : tree.fabric().switches())
    if (is_top(s)) ++usual[tree.level(s)][links_down(tree, s)];
  std::vector<Candidate> weak;
  for (const SwitchId s : tree.fabric().switches()) {
    if (!is_top(s)) continue;
    const auto& counts = usual[tree.level(s)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second <= b.second; });
    const std::size_t links = links_down(tree, s);
    if (static_cast<double>(links) < threshold * static_cast<double>(most->first))
      weak.push_back({s, fmt::format("it has {}, but most top switches have {}", counted(links, "link"), most->first)});
  }
  return weak;
}

std::vector<SwitchId> ids(const std::vector<Candidate>& candidates) {
  std::vector<SwitchId> result;
  for (const Candidate& c : candidates) result.push_back(c.s);
  return result;
}

// As many of them as hosts can do without.
std::vector<Candidate> dispensable(const FatTree& tree, const std::vector<Candidate>& candidates) {
  if (joins_as_many_hosts(demote(tree, ids(candidates)), tree)) return candidates;
  std::vector<Candidate> some;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostExclusionTrials); ++i) {
    some.push_back(candidates[i]);
    if (!joins_as_many_hosts(demote(tree, ids(some)), tree)) some.pop_back();
  }
  return some;
}

}  // namespace

Result<std::vector<SwitchId>> named_roots(const Fabric& fabric, const SwitchRules& rules) {
  std::vector<SwitchId> roots;
  bool wanted = !rules.roots.empty();
  const auto add = [&](const NodeTypeRule& rule) {
    const auto found = matched(fabric, rule);
    roots.insert(roots.end(), found.begin(), found.end());
  };
  for (const NodeTypeRule& rule : rules.roots) add(rule);
  for (const auto& [rank, rule] : rules.ranks) {
    if (rank != 0) continue;
    wanted = true;
    add(rule);
  }
  sort_unique(roots);
  if (wanted && roots.empty())
    return fail("no switch matches any of the rules for roots",
                "rules match descriptions and GUIDs of switches; espalier convert NET --to csv-switches lists both");
  return roots;
}

void apply_ranks(const Fabric& fabric, const SwitchRules& rules, IdVector<SwitchId, std::uint32_t>& level) {
  const std::uint32_t top = level.size() == 0 ? 0 : *std::max_element(level.begin(), level.end());
  for (const auto& [rank, rule] : rules.ranks)
    for (const SwitchId s : matched(fabric, rule)) level[s] = top - std::min<std::uint32_t>(rank, top);
}

FatTree apply_exclusions(FatTree tree, const SwitchRules& rules) {
  const Fabric& fabric = tree.fabric();
  std::vector<Candidate> wanted =
      rules.spine_threshold > 0 ? weak_spines(tree, rules.spine_threshold) : std::vector<Candidate>{};
  std::vector<Irregularity> told;
  for (const NodeTypeRule& rule : rules.excluded) {
    const auto found = matched(fabric, rule);
    if (found.empty())
      told.push_back(
          {IrregularityKind::kExcludedSwitch, kNoSwitch, fmt::format("no switch matches exclude {}", rule.text)});
    for (const SwitchId s : found)
      if (std::none_of(wanted.begin(), wanted.end(), [&](const Candidate& c) { return c.s == s; }))
        wanted.push_back({s, fmt::format("exclude {}", rule.text)});
  }
  const std::vector<Candidate> demoted = wanted.empty() ? wanted : dispensable(tree, wanted);
  for (const Candidate& c : wanted) {
    const bool is_demoted = std::any_of(demoted.begin(), demoted.end(), [&](const Candidate& l) { return l.s == c.s; });
    told.push_back(
        {IrregularityKind::kExcludedSwitch, c.s,
         is_demoted
             ? fmt::format("{} carries no transit traffic: {}", fabric.label(c.s), c.why)
             : fmt::format("{} still carries transit traffic, because some hosts have no other path, despite: {}",
                           fabric.label(c.s), c.why)});
  }
  if (told.empty()) return tree;
  TreeContext context = tree.context();
  context.irregularities.insert(context.irregularities.end(), told.begin(), told.end());
  std::stable_sort(context.irregularities.begin(), context.irregularities.end(),
                   [](const Irregularity& a, const Irregularity& b) { return a.kind < b.kind; });
  return demote(tree, ids(demoted), std::move(context));
}

}  // namespace espalier
