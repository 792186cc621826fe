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
#include <optional>
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

// Levels, and what decides between them. Trees and their costs are made only where counts of links do not decide: of ten
// proposals for a tree with wrong cables mostly two or three have as few odd links as the best.
class Proposal {
 public:
  // REQUIRES: fabric and hosts, per switch, outlive this.
  Proposal(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts, LevelOf level)
      : fabric_(&fabric), hosts_(&hosts), level_(std::move(level)), odd_(odd_channels(fabric, level_)) {}

  [[nodiscard]] const LevelOf& level() const { return level_; }
  // That join no neighboring levels.
  [[nodiscard]] std::size_t odd_links() const { return odd_.size() / 2; }
  // These, and switches with hosts above the bottom.
  [[nodiscard]] std::size_t oddities() const {
    std::size_t count = odd_links();
    for (const SwitchId s : fabric_->switches()) count += level_[s] != 0 && (*hosts_)[s] > 0 ? 1 : 0;
    return count;
  }
  // Whether these are levels of a tree: most hosts can do without the odd links.
  [[nodiscard]] bool is_tree() const {
    if (!is_tree_)
      is_tree_ = are_few(*fabric_, odd_) && joins_most_hosts(*fabric_, *hosts_, level_, LevelLinks::kOfNeighbors);
    return *is_tree_;
  }

  [[nodiscard]] const JudgedLevels& whole() const {
    if (!whole_) whole_ = judge({});
    return *whole_;
  }
  // On links between neighboring levels alone.
  [[nodiscard]] const JudgedLevels& regular() const {
    if (odd_.empty()) return whole();
    if (!regular_) regular_ = judge({.set_aside = odd_});
    return *regular_;
  }

 private:
  [[nodiscard]] std::unique_ptr<const JudgedLevels> judge(TreeContext context) const {
    return std::make_unique<const JudgedLevels>(make_tree(*fabric_, level_, std::move(context)), level_);
  }

  const Fabric* fabric_;
  const IdVector<SwitchId, std::uint32_t>* hosts_;
  LevelOf level_;
  std::vector<ChannelId> odd_;  // both channels of each link
  mutable std::optional<bool> is_tree_;
  mutable std::unique_ptr<const JudgedLevels> whole_, regular_;
};

// Where levels can do without their odd links, shortcuts that these are make hops say little: the odd links count first, and
// then the alternatives of the regular ones. By hops a leaf would be ranked above all its other neighbors, or a pod turned
// over, for the sake of one stray cable.
bool is_better(const Proposal& a, const Proposal& b) {
  if (a.odd_links() + b.odd_links() == 0) return a.whole().is_better_than(b.whole());
  if (!a.is_tree() || !b.is_tree()) {
    if (a.is_tree() && a.oddities() < b.oddities()) return true;
    if (b.is_tree() && b.oddities() < a.oddities()) return false;
    return a.whole().is_better_than(b.whole());
  }
  if (a.odd_links() != b.odd_links()) return a.odd_links() < b.odd_links();
  const JudgedLevels &of_a = a.regular(), &of_b = b.regular();
  if (of_a.minus_alternatives() != of_b.minus_alternatives())
    return of_a.minus_alternatives() < of_b.minus_alternatives();
  const LevelScore &here = of_a.score(), &there = of_b.score();
  return here == there ? a.whole().is_better_than(b.whole()) : here < there;
}

LevelOf derive_levels(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  const std::vector<SwitchId> with_hosts = host_switches(fabric, hosts, 0);
  const std::vector<SwitchId> with_many_hosts = host_switches(fabric, hosts, few_hosts(hosts));
  LevelOf first = levels_above(fabric, with_hosts);
  const bool is_plain = with_many_hosts == with_hosts && !has_same_level_link(fabric, first);
  if (is_plain && joins_most_hosts(fabric, hosts, first)) return first;

  std::vector<LevelOf> judged{first};  // in a dragonfly all proposals are alike
  Proposal best(fabric, hosts, std::move(first));
  const auto propose_as_it_is = [&](LevelOf levels) {
    if (std::find(judged.begin(), judged.end(), levels) != judged.end()) return;
    judged.push_back(levels);
    if (Proposal other(fabric, hosts, std::move(levels)); is_better(other, best)) best = std::move(other);
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
