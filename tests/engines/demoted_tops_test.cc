// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/demoted_tops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/subtree_plan.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/directors.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// 18 leaves in two blocks of nine below three directors with nine spines, three line cards in each for a block.
Fabric directors() { return *generate_directors({18, 9, 9, 3, 18}); }

Fabric hurt_directors(std::uint64_t seed) { return *degrade(directors(), {.links = 16, .seed = seed}); }

bool has_plan(const RoutingProblem& problem) { return !plan_subtrees(problem, 0, kNoSwitch).subtrees.empty(); }

TEST(DemotedTops, MakeRoomForASubtreeWhereCablesOfDirectorsAreMissing) {
  std::size_t laid_in = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric fabric = hurt_directors(seed);
    const FatTree tree = *rank(fabric);
    const RoutingProblem problem(tree);
    if (has_plan(problem)) continue;
    const auto demoted = demote_odd_tops(problem);
    ASSERT_TRUE(demoted) << "seed " << seed;
    ++laid_in;
    EXPECT_TRUE(has_plan(RoutingProblem(demoted->tree))) << "seed " << seed;
    std::size_t below = 0;
    for (const SwitchId s : fabric.switches()) {
      const bool was_top = tree.up_groups(s).empty();
      if (was_top && demoted->tree.down_groups(s).empty()) {
        ++below;
      } else {
        EXPECT_EQ(tree.level(s), demoted->tree.level(s));
      }
    }
    EXPECT_EQ(below, demoted->count);
  }
  EXPECT_GT(laid_in, 0U) << "nothing was tested";
}

TEST(DemotedTops, KeepHostsFromAnOrientationFromOneRoot) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric fabric = hurt_directors(seed);
    const FatTree tree = *rank(fabric);
    const Routing routing = *make_engine("dmodc")->route(tree);
    EXPECT_TRUE(verify(fabric, routing.tables).ok()) << "seed " << seed;
    EXPECT_TRUE(
        std::none_of(routing.warnings.begin(), routing.warnings.end(),
                     [](const std::string& warning) { return warning.find("from the root") != std::string::npos; }))
        << "seed " << seed;
    const HostRoutes routes(fabric, routing.tables, topological_order(tree, UpDownCosts(tree)).hosts);
    EXPECT_LE(shift_risk(routes).max(), 11) << "seed " << seed << "; from one root it is 25 and more";
  }
}

TEST(DemotedTops, AreNotLookedForWhereTheTreeIsWhole) {
  const Fabric fabric = test::pgft("3;2,2,2;1,2,2;1,1,1");
  const FatTree tree = *rank(fabric);
  EXPECT_FALSE(demote_odd_tops(RoutingProblem(tree)));
}

// More than a quarter of the tops would have to go.
TEST(DemotedTops, AreNotManyOrNone) {
  const Fabric fabric = *degrade(directors(), {.links = 200, .seed = 1});
  const FatTree tree = *rank(fabric);
  EXPECT_FALSE(demote_odd_tops(RoutingProblem(tree)));
}

}  // namespace
}  // namespace espalier
