// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_score.h"

#include <gtest/gtest.h>

#include "core/tree/costs.h"
#include "core/tree/rank.h"
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

// By the definition, pair by pair.
LevelScore plain_score(const FatTree& tree, const IdVector<SwitchId, std::uint32_t>& level) {
  const UpDownCosts costs(tree);
  LevelScore score;
  for (const SwitchId s : tree.fabric().switches()) {
    if (level[s] != 0 && !tree.hosts(s).empty()) ++score.oddities;
    for (const PortGroup& up : tree.up_groups(s))
      if (level[up.remote] != level[s] + 1) score.odd_links += up.num_ports;
    for (const SwitchId t : tree.fabric().switches()) {
      if (t == s || tree.component(s) != tree.component(t)) continue;
      const std::uint64_t hosts = tree.hosts(s).size() * tree.hosts(t).size();
      if (costs.cost(s, t) == kUnreachable) {
        score.unreached_hosts += hosts;
        ++score.unreached_switches;
        continue;
      }
      score.hops += hosts * costs.cost(s, t);
      for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
        for (const PortGroup& g : groups)
          if (!tree.hosts(t).empty() && leads_closer(tree, costs, s, g, t)) score.minus_alternatives -= g.num_ports;
    }
  }
  score.oddities += score.odd_links;
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
  expect_plain_score(test::generated("jellyfish", "70,6,1", 0, 7));
  expect_plain_score(test::generated("torus", "9,9,2"));
  expect_plain_score(test::generated("megafly", "5;2,2,2;2"));
  expect_plain_score(test::generated("pgft", "3;4,4,6;1,4,4;1,1,2"));
}

}  // namespace
}  // namespace espalier
