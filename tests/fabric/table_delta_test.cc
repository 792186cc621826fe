// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/table_delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using ::testing::ElementsAre;

TEST(TableDelta, of_equal_tables_is_empty) {
  ForwardingTables tables(3, Lid{100});
  tables.set(SwitchId{1}, Lid{5}, PortNum{7});
  EXPECT_TRUE(difference(tables, tables).empty());
  EXPECT_TRUE(difference({}, {}).empty());
}

TEST(TableDelta, lists_changed_entries_and_blocks_by_switch) {
  const ForwardingTables before(3, Lid{300});
  ForwardingTables after = before;
  after.set(SwitchId{0}, Lid{63}, PortNum{1});
  after.set(SwitchId{0}, Lid{64}, PortNum{1});
  after.set(SwitchId{0}, Lid{127}, PortNum{2});
  after.set(SwitchId{2}, Lid{300}, PortNum{0});

  const TableDelta delta = difference(before, after);
  EXPECT_EQ(delta.num_entries, 4U);
  EXPECT_EQ(delta.num_blocks, 3U);
  ASSERT_EQ(delta.switches.size(), 2U);
  EXPECT_EQ(delta.switches[0].where, SwitchId{0});
  EXPECT_EQ(delta.switches[0].num_entries, 3U);
  EXPECT_THAT(delta.switches[0].blocks, ElementsAre(0, 1));
  EXPECT_EQ(delta.switches[1].where, SwitchId{2});
  EXPECT_THAT(delta.switches[1].blocks, ElementsAre(4));
  EXPECT_EQ(difference(after, before), delta) << "what changes there changes back";
}

TEST(TableDelta, takes_what_a_narrower_table_lacks_for_no_route) {
  const ForwardingTables narrow(1, Lid{10});
  ForwardingTables wide(1, Lid{200});
  EXPECT_TRUE(difference(narrow, wide).empty());
  wide.set(SwitchId{0}, Lid{199}, PortNum{4});
  EXPECT_THAT(difference(narrow, wide).switches[0].blocks, ElementsAre(3));
  EXPECT_EQ(difference(wide, narrow).num_entries, 1U);
}

TEST(TableDelta, throws_for_tables_of_different_fabrics) {
  EXPECT_THROW((void)difference(ForwardingTables(1, Lid{1}), ForwardingTables(2, Lid{1})), std::logic_error);
}

}  // namespace
}  // namespace espalier
