// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/fabric/connectivity/breadth_first.h"
#include "core/tree/costs.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Whether packets from s to t may go on by the group: down where there is a way down.
bool leads_closer(const FatTree& tree, const UpDownCosts& costs, SwitchId s, const PortGroup& group, SwitchId t) {
  const auto downs = tree.down_groups(s);
  const bool is_down = &group >= downs.data() && &group < downs.data() + downs.size();
  if (is_down != (costs.down_cost(s, t) != kUnreachable)) return false;
  return (is_down ? costs.down_cost(group.remote, t) : costs.cost(group.remote, t)) < costs.cost(s, t);
}

// Hosts here or below.
bool carries_traffic(const FatTree& tree, const UpDownCosts& costs, SwitchId s) {
  return std::ranges::any_of(std::vector(tree.ascending().begin(), tree.ascending().end()), [&](SwitchId t) {
    return !tree.hosts(t).empty() && costs.down_cost(s, t) != kUnreachable;
  });
}

void count_unreached(const FatTree& tree, LevelScore& score, std::uint64_t hops_of_unreached) {
  std::uint64_t hosts = 0;
  for (const SwitchId s : tree.fabric().switches()) hosts += tree.hosts(s).size();
  if (64 * score.unreached_hosts > hosts * hosts)
    score.many_unreached = score.unreached_hosts;
  else
    score.hops += hops_of_unreached;
}

// By the definition, pair by pair.
LevelScore plain_score(const FatTree& tree, const IdVector<SwitchId, std::uint32_t>& level) {
  const UpDownCosts costs(tree);
  LevelScore score;
  std::uint64_t hops_of_unreached = 0;
  for (const SwitchId s : tree.fabric().switches()) {
    const auto distance = distances(tree.fabric(), {s});
    if (level[s] != 0 && !tree.hosts(s).empty()) ++score.oddities;
    for (const PortGroup& up : tree.up_groups(s))
      if (level[up.remote] != level[s] + 1) score.odd_links += up.num_ports;
    for (const SwitchId t : tree.fabric().switches()) {
      if (t == s || tree.component(s) != tree.component(t)) continue;
      const std::uint64_t hosts = tree.hosts(s).size() * tree.hosts(t).size();
      if (costs.cost(s, t) == kUnreachable) {
        score.unreached_hosts += hosts;
        hops_of_unreached += hosts * distance[t];
        ++score.unreached_switches;
        continue;
      }
      score.hops += hosts * costs.cost(s, t);
      for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
        for (const PortGroup& g : groups)
          if (!tree.hosts(t).empty() && carries_traffic(tree, costs, s) && leads_closer(tree, costs, s, g, t))
            score.minus_alternatives -= g.num_ports;
    }
  }
  score.oddities += score.odd_links;
  count_unreached(tree, score, hops_of_unreached);
  return score;
}

void expect_plain_score(const Fabric& fabric) {
  const FatTree tree = rank(fabric).value();
  IdVector<SwitchId, std::uint32_t> level(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) level[s] = static_cast<std::uint32_t>(tree.level(s));
  const LevelScore plain = plain_score(tree, level);
  const JudgedLevels judged(tree, level);
  EXPECT_EQ(judged.score(), plain);

  // Beside other levels.
  const FatTree turned = orient_from_roots(tree, {id_at<SwitchId>(fabric.num_switches() / 2)}).value();
  for (const SwitchId s : fabric.switches()) level[s] = static_cast<std::uint32_t>(turned.level(s));
  const LevelScore other = plain_score(turned, level);
  EXPECT_EQ(judged.is_better_than(JudgedLevels(turned, level)), plain < other);
  EXPECT_EQ(JudgedLevels(turned, level).is_better_than(judged), other < plain);
}

TEST(LevelScore, IsThatOfAllPairs) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    SCOPED_TRACE(name);
    expect_plain_score(fabric);
  }
  // 196 hosts on leaves, 6 on spines: a few pairs are unreached.
  expect_plain_score(
      test::draw("L0:49 L1:49 L2:49 L3:49 S0:3 S1:2 S2:1; L0-S0 L0-S1 L0-S2 L1-S0 L1-S1 L1-S2 L2-S0 L2-S1 L2-S2 L3-S0 "
                 "L3-S1 L3-S2"));
  expect_plain_score(test::generated("jellyfish", "70,6,1", 0, 7));
  expect_plain_score(test::generated("torus", "9,9,2"));
  expect_plain_score(test::generated("megafly", "5;2,2,2;2"));
  expect_plain_score(test::generated("pgft", "3;4,4,6;1,4,4;1,1,2"));
}

}  // namespace
}  // namespace espalier
