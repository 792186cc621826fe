// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From old tables to new ones, slice by slice; each state on the way is judged as a whole.
#include "plugin/upload/slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/table_delta.h"
#include "core/repair/repair.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

Fabric tree_of_hosts() { return test::pgft("3;6,4,6;1,4,4;1,1,1"); }

ForwardingTables routed(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  EngineOptions options;
  options.balance_ms = 50;
  return make_engine(engine, options)->route(tree).value().tables;
}

// What the switches may have while a slice is under way: any of its blocks, drawn at random.
ForwardingTables part_of(const ForwardingTables& current, const ForwardingTables& slice, std::mt19937_64& random) {
  ForwardingTables tables = current;
  for (std::size_t s = 0; s < tables.num_switches(); ++s)
    for (std::size_t begin = 0; begin < tables.width(); begin += kLidsPerBlock) {
      if (random() % 2 == 0) continue;
      for (std::size_t lid = begin; lid < std::min(begin + kLidsPerBlock, tables.width()); ++lid)
        tables.set(id_at<SwitchId>(s), id_at<Lid>(lid), slice.at(id_at<SwitchId>(s), id_at<Lid>(lid)));
    }
  return tables;
}

TEST(Slices, AreAllAtOnceWhereTheLimitAllows) {
  const Fabric fabric = degrade(tree_of_hosts(), {.links = 9, .seed = 1001}).value();
  const ForwardingTables old = routed(fabric, "randsp"), wanted = routed(fabric, "balanced");
  const Slice slice = next_slice(fabric, old, wanted, 1'000'000);
  EXPECT_EQ(slice.tables, wanted);
  EXPECT_EQ(slice.blocks, difference(old, wanted).num_blocks);
  EXPECT_EQ(slice.blocks_left, 0U);
  EXPECT_EQ(next_slice(fabric, wanted, wanted, 1).blocks, 0U);
}

TEST(Slices, LeadFromOldToNewThroughSoundTables) {
  std::mt19937_64 random(1002);
  for (std::uint64_t seed = 1001; seed < 1005; ++seed) {
    const Fabric fabric = degrade(tree_of_hosts(), {.links = 9, .seed = seed}).value();
    ForwardingTables current = routed(fabric, "randsp");
    const ForwardingTables wanted = routed(fabric, "balanced");
    const std::uint64_t all = difference(current, wanted).num_blocks;
    ASSERT_GT(all, 120U);
    std::uint64_t sent = 0, slices = 0;
    for (Slice slice; current != wanted; current = std::move(slice.tables), ++slices) {
      ASSERT_LT(slices, 100U);
      slice = next_slice(fabric, current, wanted, 60);
      EXPECT_EQ(slice.blocks, difference(current, slice.tables).num_blocks);
      EXPECT_EQ(slice.blocks_left, difference(slice.tables, wanted).num_blocks);
      EXPECT_LE(slice.blocks, 60U);  // a column has fewer than that
      EXPECT_EQ(slice.proof, slice.blocks_left == 0 ? Slice::Proof::kWhenSent : Slice::Proof::kUnderway);
      sent += slice.blocks;
      EXPECT_TRUE(verify(fabric, slice.tables).ok());
      for (int draw = 0; draw < 5 && slice.blocks_left != 0; ++draw)
        EXPECT_TRUE(verify(fabric, part_of(current, slice.tables, random)).ok());
    }
    EXPECT_EQ(sent, all);
    EXPECT_GE(slices, 3U);
  }
}

// A fault in the middle of it: whatever has lost a route comes first, beyond the limit.
TEST(Slices, SendLostRoutesAtOnce) {
  const Fabric whole = tree_of_hosts();
  const ForwardingTables old = routed(whole, "randsp"), wanted = routed(whole, "balanced");
  for (std::uint64_t seed = 1001; seed < 1011; ++seed) {
    const Fabric now = degrade(whole, {.links = 3, .seed = seed}).value();
    const Slice before = next_slice(whole, old, wanted, 40);
    const PreparedReference reference(make_reference("balanced", rank(whole).value(), wanted));
    const ForwardingTables target = patch(reference, now).value().tables.whole();
    ForwardingTables current = before.tables;
    ASSERT_FALSE(verify(now, current).ok());
    std::uint64_t slices = 0;
    for (; current != target && slices < 100; ++slices) {
      Slice slice = next_slice(now, current, target, 1);
      ASSERT_TRUE(verify(now, slice.tables).ok()) << "seed " << seed << " slice " << slices;
      current = std::move(slice.tables);
    }
    EXPECT_EQ(current, target);
    EXPECT_GT(slices, 1U);
  }
}

// Entries of nobody, as OpenSM has them before its first upload: nothing can wait.
TEST(Slices, SendEverythingToSwitchesThatHaveNothing) {
  const Fabric fabric = tree_of_hosts();
  const ForwardingTables wanted = routed(fabric, "balanced");
  const ForwardingTables nothing(fabric.num_switches(), fabric.top_lid());
  EXPECT_EQ(next_slice(fabric, nothing, wanted, 1).tables, wanted);
}

}  // namespace
}  // namespace espalier
