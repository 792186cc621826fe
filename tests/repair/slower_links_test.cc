// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Links that came up at a lower rate than in the reference.
#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/fabric/faults.h"
#include "core/fabric/fingerprint.h"
#include "core/fabric/generators/site_changes.h"
#include "core/repair/repair.h"
#include "core/repair/survivors/survivors.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::pgft;
using test::reference_by;

Fabric throttled(const Fabric& fabric, std::size_t links, std::uint64_t seed) {
  return change(fabric, {.throttled_links = links, .seed = seed}).value();
}

// Flows by what links carry, under the worst shift.
double worst_shift(const Fabric& now, const ForwardingTables& tables) {
  const FatTree tree = rank(now).value();
  const HostRoutes routes(now, tables, topological_order(tree, UpDownCosts(tree)).hosts);
  return shift_risk(routes).per_capacity().max();
}

TEST(SlowerLinks, are_found_at_both_ends) {
  const Fabric whole = pgft("2;4,6;1,4;1,1");
  const Survivors alive = find_survivors(whole, throttled(whole, 2, 1));
  ASSERT_EQ(alive.slower.size(), 4U);
  EXPECT_TRUE(alive.losers.empty());
  for (const auto& [c, share] : alive.slower) {
    EXPECT_EQ(share, 0.25F);
    EXPECT_TRUE(whole.peer(c).is_switch());
  }
  EXPECT_TRUE(find_survivors(throttled(whole, 2, 1), whole).slower.empty());
}

TEST(SlowerLinks, make_another_fabric_of_it) {
  const Fabric whole = pgft("2;4,6;1,4;1,1");
  EXPECT_NE(fingerprint(throttled(whole, 1, 1)), fingerprint(whole));
}

TEST(SlowerLinks, carry_no_more_than_their_share) {
  for (const char* spec :
       {"2;4,6;1,4;1,1", "3;6,6,6;1,6,6;1,1,1", "3;4,4,6;1,4,4;1,1,1", "2;12,12;1,6;1,2", "3;8,4,4;1,8,2;1,1,1"}) {
    const Fabric whole = pgft(spec);
    const PreparedReference reference(reference_by(whole, "balanced"));
    const double before = worst_shift(whole, reference.reference().tables);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const Fabric now = throttled(whole, 1, seed);
      const PatchedRepair repaired = patch(reference, now).value();
      const ForwardingTables tables = repaired.tables.whole();
      EXPECT_LE(worst_shift(now, tables), before + 1) << spec << ' ' << seed;
      EXPECT_EQ(complaint(now, tables), "");
      EXPECT_EQ(repaired.reach, RepairReach::kLocal);
    }
  }
}

// One flow at a quarter of the rate is as much as four.
TEST(SlowerLinks, keep_their_share) {
  const Fabric whole = pgft("2;16,8;1,4;1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  EXPECT_EQ(worst_shift(whole, reference.reference().tables), 4);
  const PatchedRepair repaired = patch(reference, throttled(whole, 1, 1)).value();
  EXPECT_GT(repaired.entries, 0U);
  EXPECT_LE(worst_shift(throttled(whole, 1, 1), repaired.tables.whole()), 6);
  EXPECT_LT(repaired.entries, repaired.repaired_routes);
}

TEST(SlowerLinks, stay_in_use_where_nothing_else_leads) {
  const Fabric whole = pgft("2;2,4;1,1;1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const Fabric now = throttled(whole, 2, 1);
  EXPECT_EQ(patch(reference, now).value().tables.whole(), reference.reference().tables);
}

TEST(SlowerLinks, are_repaired_soundly_beside_lost_ones) {
  for (const char* spec : {"3;3,3,4;1,3,2;1,1,1", "3;4,2,3;1,2,2;1,2,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"}) {
    const Fabric whole = pgft(spec);
    const PreparedReference reference(reference_by(whole, "balanced"));
    for (std::uint64_t seed = 1; seed < 11; ++seed) {
      const Fabric less = degrade(whole, {.links = 1 + seed % 4, .switches = seed % 2, .seed = seed}).value();
      const Fabric now = throttled(less, 1 + seed % 5, seed);
      EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "") << spec << ' ' << seed;
    }
  }
}

TEST(SlowerLinks, take_back_everything_when_their_rate_is_back) {
  const Fabric whole = pgft("3;3,3,4;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  static_cast<void>(patch(reference, throttled(whole, 3, 1)).value());
  EXPECT_EQ(patch(reference, whole).value().tables.whole(), reference.reference().tables);
}

}  // namespace
}  // namespace espalier
