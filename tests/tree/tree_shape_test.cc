// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/tree_shape.h"

#include <gtest/gtest.h>

#include <tuple>

#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::generated;

bool is_tree_shaped(const Fabric& fabric) { return espalier::is_tree_shaped(rank(fabric).value()); }

TEST(TreeShape, TreesHaveItWholeAndDamaged) {
  const Fabric tree = generated("pgft", "3;4,4,4;1,4,4;1,1,1");
  EXPECT_TRUE(is_tree_shaped(tree));
  EXPECT_TRUE(is_tree_shaped(generated("kary", "4,2")));
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed)
    EXPECT_TRUE(is_tree_shaped(degrade(tree, {.links = tree.num_switch_links() / 5, .seed = seed}).value())) << seed;
}

TEST(TreeShape, CountsLinksByTheLevelsOfTheirEnds) {
  const auto links = [](const Fabric& fabric) {
    const LinkLevels levels = link_levels(rank(fabric).value());
    return std::tuple(levels.all, levels.within, levels.skipping);
  };
  EXPECT_EQ(links(generated("pgft", "3;4,4,4;1,4,4;1,1,1")), std::tuple(128U, 0U, 0U));
  EXPECT_EQ(links(generated("pgft", "2;4,4;1,2;1,3")), std::tuple(24U, 0U, 0U)) << "parallel links count one by one";
  EXPECT_EQ(links(generated("torus", "4,4,4,2")), std::tuple(192U, 192U, 0U)) << "every switch has hosts";
}

TEST(TreeShape, GraphsWithoutLevelsLackIt) {
  for (const auto& [kind, spec] : {std::pair{"torus", "4,4,4,2"}, std::pair{"slimfly", "5,4"},
                                   std::pair{"jellyfish", "40,8,5"}, std::pair{"dragonfly", "2,4,2,9"}})
    EXPECT_FALSE(is_tree_shaped(generated(kind, spec))) << kind;
}

}  // namespace
}  // namespace espalier
