// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/settled_levels.h"

#include <gtest/gtest.h>

#include "core/fabric/endport_role.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/levels.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::pgft;

IdVector<SwitchId, std::uint32_t> levels_of(const FatTree& tree) {
  IdVector<SwitchId, std::uint32_t> level(tree.fabric().num_switches());
  for (const SwitchId s : tree.fabric().switches()) level[s] = static_cast<std::uint32_t>(tree.level(s));
  return level;
}

TEST(SettledLevels, LeaveAWholeTreeAsItIs) {
  for (const char* spec : {"2;4,6;1,4;1,1", "3;4,3,4;1,4,2;1,1,1", "4;3,3,3,3;1,3,3,3;1,1,1,1"}) {
    const Fabric fabric = pgft(spec);
    const auto level = levels_of(*rank(fabric));
    EXPECT_EQ(settle(fabric, count_hosts(fabric), level), level) << spec;
  }
}

// L0 has a cable to T0, which a breadth-first search takes for a switch beside its neighbors.
TEST(SettledLevels, RaiseACoreSwitchWithOneCableToALeaf) {
  const Fabric fabric = test::draw(
      "L0:2 L1:2 L2:2 L3:2; L0-M0 L0-M1 L1-M0 L1-M1  L2-M2 L2-M3 L3-M2 L3-M3; M0-T0 M2-T0 M1-T1 M3-T1 M0-T2 M2-T2; "
      "L0-T0");
  const auto hosts = count_hosts(fabric);
  const SwitchId top = test::switch_named(fabric, "T0");
  auto level = levels_above(fabric, {test::switch_named(fabric, "L0"), test::switch_named(fabric, "L1"),
                                     test::switch_named(fabric, "L2"), test::switch_named(fabric, "L3")});
  EXPECT_EQ(level[top], 1U);
  EXPECT_EQ(settle(fabric, hosts, level)[top], 2U);
}

// GUIDs say where a switch is in a generated fabric; names still do where they are shuffled.
TEST(SettledLevels, AreThoseOfTheTreeWhateverStrayCablesThereAre) {
  const Fabric whole = pgft("3;6,6,6;1,6,6;1,1,1");
  const auto right = levels_of(*rank(whole));
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed)
    for (const std::size_t stray : {2U, 6U, 20U}) {
      const Fabric fabric = *change(whole, {.stray_links = stray, .seed = seed});
      EXPECT_EQ(levels_of(*rank(fabric)), right) << stray << " stray links, seed " << seed;
    }
}

}  // namespace
}  // namespace espalier
