// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/table_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/drawing.h"

namespace espalier {
namespace {

using test::draw;

// Entries of two values, so that columns of one switch are alike now and then.
ForwardingTables drawn_tables(const Fabric& fabric, std::mt19937& random) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid)
      tables.set(s, id_at<Lid>(lid), id_at<PortNum>(1 + random() % 2));
  return tables;
}

std::uint32_t kind_of(Lid lid) { return index(lid) % 3 == 0 ? 1 : 0; }

bool belong_together(const Fabric& fabric, const ForwardingTables& tables, Lid a, Lid b) {
  const SwitchId to = fabric.destination_switch(a);
  if (to != fabric.destination_switch(b) || kind_of(a) != kind_of(b)) return false;
  for (const SwitchId s : fabric.switches())
    if (s != to && tables.at(s, a) != tables.at(s, b)) return false;
  return true;
}

TEST(TableColumns, HoldLidsToWhichAllOtherSwitchesSendAlike) {
  std::mt19937 random(77);
  const Fabric fabric = draw("A:3 B:3 C:2 -:1 A-B B-C C-A", 1);
  std::size_t shared = 0;
  for (int round = 0; round < 50; ++round) {
    const ForwardingTables tables = drawn_tables(fabric, random);
    const std::vector<TableColumn> columns = table_columns(fabric, tables, kind_of);
    IdVector<Lid, const TableColumn*> column_of(index(fabric.top_lid()) + std::size_t{1});
    Lid first_before = kNoLid;
    for (const TableColumn& column : columns) {
      EXPECT_LT(first_before, column.lids.front());
      first_before = column.lids.front();
      EXPECT_TRUE(std::ranges::is_sorted(column.lids));
      for (const Lid lid : column.lids) {
        EXPECT_EQ(column_of[lid], nullptr) << "a LID of two columns";
        column_of[lid] = &column;
        EXPECT_EQ(column.to, fabric.destination_switch(lid));
        for (const SwitchId s : fabric.switches())
          EXPECT_EQ(column.ports[index(s)], s == column.to ? kManagementPort : tables.at(s, lid));
      }
      shared += column.lids.size() - 1;
    }
    for (std::size_t a = 1; a <= index(fabric.top_lid()); ++a) {
      EXPECT_EQ(column_of[id_at<Lid>(a)] != nullptr, fabric.destination_switch(id_at<Lid>(a)) != kNoSwitch);
      if (column_of[id_at<Lid>(a)] == nullptr) continue;
      for (std::size_t b = 1; b < a; ++b)
        EXPECT_EQ(column_of[id_at<Lid>(a)] == column_of[id_at<Lid>(b)],
                  belong_together(fabric, tables, id_at<Lid>(a), id_at<Lid>(b)));
    }
  }
  EXPECT_GT(shared, 0U);
}

}  // namespace
}  // namespace espalier
