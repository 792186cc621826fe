// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finding levels without being fooled.
//
// A perfect fat tree is ranked upwards from the switches that have hosts, and every other method agrees. Real fabrics
// break each single method: a service host on a spine makes that spine a leaf; ranked downwards, a switch that lost its
// uplinks falls below the leaves; the most frequent distance takes a small switch beside one large neighbor for a
// root. So several methods propose, and one judge, the same for all, chooses by what routing will make of the proposal:
//
//   1. fewest pairs of hosts without an up-down path, where they are more than a few,
//   2. then least hops between hosts,
//   3. then most alternatives (neighbors on a shortest path, summed over all pairs of host switches): a spine taken for
//      a leaf costs none of the first two, but carries no traffic. So a few pairs of hosts on two spines take a detour,
//      rather than all others the two spines,
//   4. then fewest oddities: switches with hosts above the bottom, links that join no neighboring levels. A leaf with few
//      hosts, taken for the one top above all spines, costs none of the first three and lets the spines reach each
//      other, but it is a leaf.
//
// Where the first proposal has no same-level link, no switch has suspiciously few hosts, and nearly all hosts have an
// up-down path to one another, nobody else is asked: that is every intact or randomly damaged fat tree, and costs one
// breadth-first search. Where only the last is missing, as in a tree whose spines hang on leaves of another one, the
// switches farthest from hosts and the tops of the largest tree are asked.
#include "core/tree/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
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
#include "core/tree/level_reach.h"
#include "core/tree/level_score.h"
#include "core/tree/levels.h"
#include "core/tree/settled_levels.h"

namespace espalier {
namespace {

using LevelOf = IdVector<SwitchId, std::uint32_t>;
constexpr std::size_t kMaxLevels = 250;
constexpr std::size_t kOddLinks = 4;  // at most one link in so many may be a mistake

// Of two ends on one level the one with fewer hosts is the upper, then the one nearer to the middle of its row, then
// the one with the higher GUID.
IdVector<SwitchId, std::uint32_t> positions(const Fabric& fabric, const LevelOf& level) {
  const auto hosts = count_hosts(fabric);
  const LevelOf depth = depths_in_rows(fabric, hosts, level);
  std::vector<SwitchId> order;
  for (const SwitchId s : fabric.switches()) order.push_back(s);
  std::sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) {
    return std::tuple(level[a], hosts[b], depth[b], a) < std::tuple(level[b], hosts[a], depth[a], b);
  });
  IdVector<SwitchId, std::uint32_t> position(fabric.num_switches());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

FatTree make_tree(const Fabric& fabric, const LevelOf& level, TreeContext context) {
  IdVector<SwitchId, Level> levels(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) levels[s] = id_at<Level>(level[s]);
  return FatTree(fabric, std::move(levels), positions(fabric, level), std::move(context));
}

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

struct Judged {
  std::unique_ptr<const JudgedLevels> whole;
  std::unique_ptr<const JudgedLevels> regular;  // on links between neighboring levels alone; where some others are odd

  // The levels of a tree: if most hosts can do without the odd links. Null: they cannot.
  [[nodiscard]] const JudgedLevels* tree() const {
    const JudgedLevels* const on_regular_links = regular ? regular.get() : whole.get();
    const bool is_regular = regular || whole->score().odd_links == 0;
    return is_regular && on_regular_links->joins_most_hosts() ? on_regular_links : nullptr;
  }
};

std::vector<ChannelId> odd_channels(const Fabric& fabric, const LevelOf& level) {
  std::vector<ChannelId> odd;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() == s) continue;
      const auto [low, high] = std::minmax(level[s], level[peer.as_switch()]);
      if (high != low + 1) odd.push_back(fabric.channel(s, p));
    }
  return odd;
}

bool are_few(const Fabric& fabric, const std::vector<ChannelId>& odd) {
  return odd.size() * kOddLinks <= 2 * fabric.num_switch_links();
}

Judged judge(const Fabric& fabric, LevelOf level) {
  Judged judged;
  std::vector<ChannelId> odd = odd_channels(fabric, level);
  if (!odd.empty() && are_few(fabric, odd))
    judged.regular =
        std::make_unique<const JudgedLevels>(make_tree(fabric, level, {.set_aside = std::move(odd)}), level);
  FatTree tree = make_tree(fabric, level, {});
  judged.whole = std::make_unique<const JudgedLevels>(std::move(tree), std::move(level));
  return judged;
}

// Where levels can do without their odd links, shortcuts that these are make hops say little: the odd links count first, and
// then the alternatives of the regular ones. By hops a leaf would be ranked above all its other neighbors, or a pod turned
// over, for the sake of one stray cable.
bool is_better(const Judged& a, const Judged& b) {
  const LevelScore &whole_a = a.whole->score(), &whole_b = b.whole->score();
  const JudgedLevels* const tree_a = a.tree();
  const JudgedLevels* const tree_b = b.tree();
  if (whole_a.odd_links + whole_b.odd_links == 0) return a.whole->is_better_than(*b.whole);
  if (tree_a == nullptr || tree_b == nullptr) {
    if (tree_a != nullptr && whole_a.oddities < whole_b.oddities) return true;
    if (tree_b != nullptr && whole_b.oddities < whole_a.oddities) return false;
    return a.whole->is_better_than(*b.whole);
  }
  if (whole_a.odd_links != whole_b.odd_links) return whole_a.odd_links < whole_b.odd_links;
  const LevelScore &here = tree_a->score(), &there = tree_b->score();
  if (here.minus_alternatives != there.minus_alternatives) return here.minus_alternatives < there.minus_alternatives;
  return here == there ? a.whole->is_better_than(*b.whole) : here < there;
}

LevelOf derive_levels(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  const std::vector<SwitchId> with_hosts = host_switches(fabric, hosts, 0);
  const std::vector<SwitchId> with_many_hosts = host_switches(fabric, hosts, few_hosts(hosts));
  LevelOf first = levels_above(fabric, with_hosts);
  const bool is_plain = with_many_hosts == with_hosts && !has_same_level_link(fabric, first);
  if (is_plain && joins_most_hosts(fabric, hosts, first)) return first;

  std::vector<LevelOf> judged{first};  // in a dragonfly all proposals are alike
  auto best = judge(fabric, std::move(first));
  const auto propose_as_it_is = [&](LevelOf levels) {
    if (std::find(judged.begin(), judged.end(), levels) != judged.end()) return;
    judged.push_back(levels);
    if (auto other = judge(fabric, std::move(levels)); is_better(other, best)) best = std::move(other);
  };
  const auto propose_settled = [&](const LevelOf& levels) {
    LevelOf settled = settle(fabric, hosts, levels);
    if (are_few(fabric, odd_channels(fabric, settled))) propose_as_it_is(std::move(settled));
  };
  const auto propose = [&](LevelOf levels) {
    propose_settled(levels);
    propose_as_it_is(std::move(levels));
  };
  if (is_plain) {
    propose(levels_below(fabric, highest_switches(fabric, judged.front())));
    propose(levels_below(fabric, widest_tops(fabric, hosts, judged.front())));
    return best.whole->level();
  }
  propose_settled(best.whole->level());
  propose(raise_spines(fabric, hosts, best.whole->level()));
  propose(levels_above(fabric, with_many_hosts));
  if (const auto with_more = host_switches(fabric, hosts, few_hosts(hosts) + 1); !with_more.empty())
    propose(levels_above(fabric, with_more));
  const HostViews views(fabric, hosts);
  for (const double slack : {0.5, 0.0}) propose(levels_below(fabric, views.central_roots(slack)));
  propose(levels_below(fabric, views.statistical_roots()));
  return best.whole->level();
}

// The switches that a GUID list means: by their own GUID, or by the port GUID of a CA on them.
Result<std::vector<SwitchId>> switches_of(const Fabric& fabric, const std::vector<Guid>& guids, const char* list) {
  const EndportIndex endports(fabric);
  std::vector<SwitchId> found;
  for (const Guid guid : guids) {
    SwitchId s = fabric.find_switch(guid);
    if (const EndportId e = endports.find(guid); s == kNoSwitch && e != kNoEndport) s = fabric.at(e).leaf;
    if (s != kNoSwitch) found.push_back(s);
  }
  sort_unique(found);
  if (found.empty())
    return fail(fmt::format("none of the {} in the {} list is in this fabric", counted(guids.size(), "GUID"), list),
                "check the list: roots are switch GUIDs, compute nodes are port GUIDs");
  return found;
}

Result<LevelOf> choose_levels(const Fabric& fabric, const RankOptions& options) {
  ESPALIER_TRY(std::vector<SwitchId> roots, named_roots(fabric, options.switches));
  if (!options.roots.empty()) {
    const Result<std::vector<SwitchId>> listed = switches_of(fabric, options.roots, "root");
    if (!listed && roots.empty()) return tl::unexpected(listed.error());
    if (listed) roots.insert(roots.end(), listed->begin(), listed->end());
    sort_unique(roots);
  }
  if (!roots.empty()) return levels_below(fabric, roots);
  if (!options.compute_ports.empty())
    return switches_of(fabric, options.compute_ports, "compute node").map([&](const std::vector<SwitchId>& leaves) {
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
  FatTree tree = make_tree(fabric, level, std::move(context));
  const std::vector<WrongLink> wrong = find_wrong_links(tree);
  if (!wrong.empty()) tree = make_tree(fabric, level, without_wrong_links(tree, wrong));
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
  return make_tree(fabric, level, {find_irregularities(fabric, level), tree.context().ghosts, {}});
}

}  // namespace espalier
