// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/cleared_hub.h"

#include <gtest/gtest.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/subtree_plan.h"
#include "core/engines/engines.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

Fabric dirty_tree(std::uint64_t seed) {
  return *change(test::pgft("3;6,4,6;1,6,4;1,1,1"),
                 {.guids = SiteChanges::Guids::kShuffled, .swapped_uplinks = 6, .stray_links = 8, .seed = seed});
}

bool has_plan(const RoutingProblem& problem) { return !plan_subtrees(problem, 0, kNoSwitch).subtrees.empty(); }

TEST(ClearedHub, MakesRoomForASubtreeWhereCablesAreWrong) {
  std::size_t cleared_trees = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Fabric fabric = dirty_tree(seed);
    const FatTree tree = *rank(fabric);
    const RoutingProblem problem(tree);
    if (has_plan(problem)) continue;
    const auto cleared = clear_hub(problem);
    if (!cleared) continue;
    ++cleared_trees;
    EXPECT_LE(cleared->links * 32, fabric.num_switch_links()) << "seed " << seed;
    EXPECT_TRUE(has_plan(RoutingProblem(cleared->tree))) << "seed " << seed;
    const Result<Routing> routing = make_engine("dmodc", {})->route(tree);
    ASSERT_TRUE(routing) << "seed " << seed;
    EXPECT_TRUE(verify(fabric, routing->tables).ok()) << "seed " << seed;
  }
  EXPECT_GE(cleared_trees, 3U);
}

TEST(ClearedHub, LeavesAWholeTreeAsItIs) {
  const Fabric fabric = test::pgft("3;4,4,4;1,4,4;1,1,1");
  const FatTree tree = *rank(fabric);
  EXPECT_FALSE(clear_hub(RoutingProblem(tree)));
}

}  // namespace
}  // namespace espalier
