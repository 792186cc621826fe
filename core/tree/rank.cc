// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finding levels without being fooled.
//
// A perfect fat tree is ranked upwards from the switches that have hosts, and every other method agrees. Real fabrics
// break each single method: a service host on a spine makes that spine a leaf; ranked downwards, a switch that lost its
// uplinks falls below the leaves; the most frequent distance takes a small switch beside one large neighbor for a
// root. So several methods propose, and one judge, the same for all, chooses by what routing will make of the proposal
// (level_proposal.h).
//
// Where the first proposal has no same-level link, no switch has suspiciously few hosts, and nearly all hosts have an
// up-down path to one another, nobody else is asked: that is every intact or randomly damaged fat tree, and costs one
// breadth-first search. Where only the last is missing, as in a tree whose spines hang on leaves of another one, the
// switches farthest from hosts and the tops of the largest tree are asked.
#include "core/tree/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/sort_unique.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_index.h"
#include "core/fabric/endport_role.h"
#include "core/tree/cabling/find_irregularities.h"
#include "core/tree/cabling/wrong_links.h"
#include "core/tree/exclusions.h"
#include "core/tree/level_proposal.h"
#include "core/tree/level_reach.h"
#include "core/tree/levels.h"
#include "core/tree/settled_levels.h"
#include "core/tree/tree_of_levels.h"

namespace espalier {
namespace {

using LevelOf = IdVector<SwitchId, std::uint32_t>;
constexpr std::size_t kMaxLevels = 250;

bool has_same_level_link(const Fabric& fabric, const LevelOf& level) {
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (peer.is_switch() && peer.as_switch() != s && level[peer.as_switch()] == level[s]) return true;
    }
  return false;
}

// Switches with hosts; with `least` > 0 only those that have at least that many.
std::vector<SwitchId> host_switches(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                                    std::uint32_t least) {
  std::vector<SwitchId> result;
  for (const SwitchId s : fabric.switches())
    if (hosts[s] >= std::max(least, 1U)) result.push_back(s);
  return result;
}

// Below this, a switch may be a spine with service hosts: half of what a switch with hosts usually has.
std::uint32_t few_hosts(const IdVector<SwitchId, std::uint32_t>& hosts) {
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t h : hosts)
    if (h > 0) counts.push_back(h);
  if (counts.empty()) return 0;
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2), counts.end());
  return (counts[counts.size() / 2] + 1) / 2;
}

std::vector<SwitchId> highest_switches(const Fabric& fabric, const LevelOf& level) {
  const auto component = connected_components(fabric);
  std::vector<std::uint32_t> highest(fabric.num_switches(), 0);
  for (const SwitchId s : fabric.switches()) highest[component[s]] = std::max(highest[component[s]], level[s]);
  std::vector<SwitchId> result;
  for (const SwitchId s : fabric.switches())
    if (level[s] == highest[component[s]]) result.push_back(s);
  return result;
}

LevelOf derive_levels(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  const std::vector<SwitchId> with_hosts = host_switches(fabric, hosts, 0);
  const std::vector<SwitchId> with_many_hosts = host_switches(fabric, hosts, few_hosts(hosts));
  LevelOf first = levels_above(fabric, with_hosts);
  const bool is_plain = with_many_hosts == with_hosts && !has_same_level_link(fabric, first);
  if (is_plain && joins_most_hosts(fabric, hosts, first)) return first;

  std::vector<LevelOf> judged{first};  // in a dragonfly all proposals are alike
  LevelProposal best(fabric, hosts, std::move(first));
  const auto judge = [&](LevelProposal proposal) {
    if (std::find(judged.begin(), judged.end(), proposal.level()) != judged.end()) return;
    judged.push_back(proposal.level());
    if (is_better(proposal, best)) best = std::move(proposal);
  };
  const auto propose_settled = [&](const LevelOf& levels) {
    LevelProposal settled(fabric, hosts, settle(fabric, hosts, levels));
    if (settled.has_few_odd_links()) judge(std::move(settled));
  };
  const auto propose = [&](LevelOf levels) {
    propose_settled(levels);
    judge(LevelProposal(fabric, hosts, std::move(levels)));
  };
  if (is_plain) {
    propose(levels_below(fabric, highest_switches(fabric, judged.front())));
    propose(levels_below(fabric, widest_tops(fabric, hosts, judged.front())));
    return best.level();
  }
  propose_settled(best.level());
  propose(raise_spines(fabric, hosts, best.level()));
  propose(levels_above(fabric, with_many_hosts));
  if (const auto with_more = host_switches(fabric, hosts, few_hosts(hosts) + 1); !with_more.empty())
    propose(levels_above(fabric, with_more));
  const HostViews views(fabric, hosts);
  for (const double slack : {0.5, 0.0}) propose(levels_below(fabric, views.central_roots(slack)));
  propose(levels_below(fabric, views.statistical_roots()));
  return best.level();
}

// A list of GUIDs, for errors.
struct ListWords {
  const char* name;
  const char* advice;
};
constexpr ListWords kRootList{"root", "the file of root_guid_file or --roots takes GUIDs of switches"};
constexpr ListWords kComputeList{"compute node",
                                 "the file of cn_guid_file or --cn-guids takes port GUIDs of hosts, not node GUIDs"};

// The switches that a GUID list means: by their own GUID, or by the port GUID of a CA on them.
Result<std::vector<SwitchId>> switches_of(const Fabric& fabric, const std::vector<Guid>& guids, ListWords list) {
  const EndportIndex endports(fabric);
  std::vector<SwitchId> found;
  for (const Guid guid : guids) {
    SwitchId s = fabric.find_switch(guid);
    if (const EndportId e = endports.find(guid); s == kNoSwitch && e != kNoEndport) s = fabric.at(e).leaf;
    if (s != kNoSwitch) found.push_back(s);
  }
  sort_unique(found);
  if (found.empty())
    return fail(
        fmt::format("none of the {} in the {} list is in this fabric: 0x{:016x}{}", counted(guids.size(), "GUID"),
                    list.name, index(guids.front()), guids.size() > 1 ? ", ..." : ""),
        list.advice);
  return found;
}

Result<LevelOf> choose_levels(const Fabric& fabric, const RankOptions& options) {
  ESPALIER_TRY(std::vector<SwitchId> roots, named_roots(fabric, options.switches));
  if (!options.roots.empty()) {
    const Result<std::vector<SwitchId>> listed = switches_of(fabric, options.roots, kRootList);
    if (!listed && roots.empty()) return tl::unexpected(listed.error());
    if (listed) roots.insert(roots.end(), listed->begin(), listed->end());
    sort_unique(roots);
  }
  if (!roots.empty()) return levels_below(fabric, roots);
  if (!options.compute_ports.empty())
    return switches_of(fabric, options.compute_ports, kComputeList).map([&](const std::vector<SwitchId>& leaves) {
      return levels_above(fabric, leaves);
    });
  return derive_levels(fabric);
}

Status check_depth(const Fabric& fabric, const LevelOf& level) {
  for (const SwitchId s : fabric.switches())
    if (level[s] >= kMaxLevels)
      return fail(fmt::format("{} is {} high, but at most {} are possible", fabric.label(s), counted(level[s], "level"),
                              kMaxLevels - 1));
  return {};
}

}  // namespace

Result<FatTree> rank(const Fabric& fabric, const RankOptions& options) {
  ESPALIER_TRY(LevelOf level, choose_levels(fabric, options));
  apply_ranks(fabric, options.switches, level);
  ESPALIER_TRY_STATUS(check_depth(fabric, level));
  TreeContext context{find_irregularities(fabric, level), options.ghosts, {}};
  if (!std::ranges::is_sorted(context.ghosts)) std::ranges::sort(context.ghosts);
  FatTree tree = tree_of_levels(fabric, level, std::move(context));
  const std::vector<WrongLink> wrong = find_wrong_links(tree);
  if (!wrong.empty()) tree = tree_of_levels(fabric, level, without_wrong_links(tree, wrong));
  return apply_exclusions(std::move(tree), options.switches);
}

Result<FatTree> orient_from_roots(const FatTree& tree, std::vector<SwitchId> roots) {
  const Fabric& fabric = tree.fabric();
  auto reached = distances(fabric, roots);
  for (const SwitchId s : fabric.switches()) {
    if (reached[s] != kFarAway) continue;
    roots.push_back(s);
    reached = distances(fabric, roots);
  }
  const auto level = levels_below(fabric, roots);
  ESPALIER_TRY_STATUS(check_depth(fabric, level));
  return tree_of_levels(fabric, level, {find_irregularities(fabric, level), tree.context().ghosts, {}});
}

}  // namespace espalier
