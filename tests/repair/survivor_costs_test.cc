// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/survivors/survivor_costs.h"

#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

Fabric tree_of_three_levels() { return test::pgft("3;4,4,6;1,4,3;1,1,2"); }

// The damaged fabric's own tree, under the orientation of the whole one.
FatTree oriented(const FatTree& whole, const Survivors& alive, const Fabric& now) {
  IdVector<SwitchId, Level> level(now.num_switches());
  IdVector<SwitchId, std::uint32_t> position(now.num_switches());
  std::uint32_t next = 0;
  for (const SwitchId s : whole.ascending()) {
    if (alive.now[s] == kNoSwitch) continue;
    level[alive.now[s]] = whole.level(s);
    position[alive.now[s]] = next++;
  }
  return FatTree(now, level, position, {});
}

TEST(SurvivorCosts, are_those_of_the_damaged_fabric) {
  const Fabric whole = tree_of_three_levels();
  const FatTree tree = rank(whole).value();
  const UpDownCosts costs(tree);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    // Many links, or few, for which few costs of a row change.
    const std::size_t links = seed <= 20 ? seed * 4 : seed % 3;
    const Fabric now = degrade(whole, {.links = links, .switches = seed % 4, .seed = seed}).value();
    const Survivors alive = find_survivors(whole, now);
    const SurvivorCosts repaired(tree, costs, alive);
    const FatTree own_tree = oriented(tree, alive, now);
    const UpDownCosts own(own_tree);
    for (const SwitchId s : now.switches())
      for (const SwitchId t : now.switches()) {
        ASSERT_EQ(repaired.cost(alive.before[s], alive.before[t]), own.cost(s, t)) << "seed " << seed;
        ASSERT_EQ(repaired.down_cost(alive.before[s], alive.before[t]), own.down_cost(s, t)) << "seed " << seed;
      }
  }
}

TEST(SurvivorCosts, touch_few_rows_for_one_link) {
  const Fabric whole = tree_of_three_levels();
  const FatTree tree = rank(whole).value();
  const UpDownCosts costs(tree);
  const Fabric now = degrade(whole, {.links = 1, .seed = 1}).value();
  const Survivors alive = find_survivors(whole, now);
  EXPECT_EQ(alive.losers.size(), 2U);
  EXPECT_FALSE(alive.has_contradictions);
  const SurvivorCosts repaired(tree, costs, alive);
  std::size_t changed = 0;
  for (const SwitchId s : whole.switches()) changed += repaired.has_changed(s) ? 1 : 0;
  EXPECT_LT(changed, whole.num_switches() / 2);
}

TEST(Survivors, of_the_same_fabric_are_everything) {
  const Fabric whole = tree_of_three_levels();
  const Survivors alive = find_survivors(whole, whole);
  EXPECT_TRUE(alive.losers.empty());
  EXPECT_FALSE(alive.has_contradictions || alive.has_new_links);
  EXPECT_TRUE(alive.lids_are_the_same);
}

TEST(Survivors, know_new_equipment_from_old) {
  const Fabric whole = tree_of_three_levels();
  const Fabric less = degrade(whole, {.links = 2, .seed = 3}).value();
  EXPECT_TRUE(find_survivors(less, whole).has_new_links);
  EXPECT_FALSE(find_survivors(less, whole).has_contradictions);
  const Fabric fewer = degrade(whole, {.endports = 1, .seed = 3}).value();
  EXPECT_EQ(find_survivors(fewer, whole).arrived.size(), 1U);
  EXPECT_TRUE(find_survivors(fewer, fewer).arrived.empty());
}

}  // namespace
}  // namespace espalier
