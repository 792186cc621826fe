// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics as most sites have them: a handful of leaves, several cables between two switches, links of several speeds. What
// channels carry after a repair, beside tables that are made for what is left.
#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/engines/balanced/balanced.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/repair/repair.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;

Fabric with_changes(const char* spec, SiteChanges changes, std::uint64_t seed) {
  changes.seed = seed;
  return *change(test::pgft(spec), changes);
}

// The mean over all shifts of the fullest channel, by what channels carry.
double mean_shift(const Fabric& fabric, const ForwardingTables& tables) {
  const FatTree tree = *rank(fabric);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  return shift_risk(HostRoutes(fabric, tables, order.hosts)).per_capacity().mean();
}

// Whatever the clock says.
ForwardingTables balanced_tables(const FatTree& tree) { return balanced(RoutingProblem(tree), {.milliseconds = 50}); }

// Of the repair in fresh ones.
double compared(const Fabric& whole, const Fabric& now) {
  const FatTree tree = *rank(whole);
  const PreparedReference reference(make_reference("balanced", tree, balanced_tables(tree)));
  const PatchedRepair repaired = *patch(reference, now);
  const ForwardingTables tables = repaired.tables.whole();
  EXPECT_EQ(complaint(now, tables), "");
  EXPECT_EQ(repaired.reach, RepairReach::kLocal);
  return mean_shift(now, tables) / mean_shift(now, balanced_tables(*rank(now)));
}

TEST(RepairOfSmallFabrics, IsNearlyAsGoodAsFreshTables) {
  for (const char* const spec : {"2;20,6;1,2;1,4", "2;12,5;1,4;1,1", "3;6,4,4;1,3,2;1,1,2"})
    for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
      const Fabric whole = with_changes(spec, {}, seed);
      EXPECT_LE(compared(whole, *degrade(whole, {.links = 1, .seed = seed})), 1.15) << spec << " a link, seed " << seed;
      EXPECT_LE(compared(whole, *degrade(whole, {.spines = 1, .seed = seed})), 1.2)
          << spec << " a spine, seed " << seed;
    }
}

TEST(RepairOfSmallFabrics, TakesSlowLinksForWhatTheyCarry) {
  SiteChanges slow;
  slow.throttled_links = 2;
  for (const char* const spec : {"2;12,5;1,4;1,1", "3;4,4,5;1,4,4;1,1,1"})
    for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
      const Fabric whole = with_changes(spec, slow, seed);
      EXPECT_LE(compared(whole, *degrade(whole, {.links = 2, .seed = seed})), 1.1) << spec << " seed " << seed;
    }
}

}  // namespace
}  // namespace espalier
