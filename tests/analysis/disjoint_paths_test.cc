// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/disjoint_paths.h"

#include <gtest/gtest.h>

#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

void set_offset(const Fabric& fabric, ForwardingTables& tables, const char* leaf, const char* host, unsigned offset,
                unsigned port) {
  const Lid base = fabric.at(test::endport_named(fabric, host)).lid;
  tables.set(test::switch_named(fabric, leaf), id_at<Lid>(index(base) + offset), id_at<PortNum>(port));
}

// One host on each leaf; ports 2 and 3 of a leaf lead to S and T, port 4 to T again.
TEST(DisjointPaths, CountPathsThatShareNoSwitch) {
  const Fabric fabric = test::draw("L0:1 L1:1 S T; L0-S L1-S L0-T L1-T L0-T L1-T", 1);
  ForwardingTables tables = test::route_shortest(fabric);
  for (const char* host : {"h0", "h1"}) {
    const char* const leaf = *(host + 1) == '0' ? "L1" : "L0";
    set_offset(fabric, tables, leaf, host, 0, 2);
    set_offset(fabric, tables, leaf, host, 1, 3);
  }
  DisjointPaths paths = disjoint_paths(fabric, tables, test::all_endports(fabric));
  EXPECT_EQ(paths.num_pairs, 2U);
  EXPECT_EQ(paths.pairs_with, (std::vector<std::uint64_t>{0, 0, 2}));
  EXPECT_EQ(paths.survive_link, 2U);
  EXPECT_EQ(paths.survive_switch, 2U);
  EXPECT_EQ(paths.mean(), 2);

  set_offset(fabric, tables, "L0", "h1", 0, 4);
  paths = disjoint_paths(fabric, tables, test::all_endports(fabric));
  EXPECT_EQ(paths.pairs_with, (std::vector<std::uint64_t>{0, 1, 1})) << "both offsets over T";
  EXPECT_EQ(paths.survive_switch, 1U);
}

TEST(DisjointPaths, LeaveOutPairsOfOneSwitch) {
  const Fabric fabric = test::draw("L0:2 L1:1 S; L0-S L1-S");
  const DisjointPaths paths = disjoint_paths(fabric, test::route_shortest(fabric), test::all_endports(fabric));
  EXPECT_EQ(paths.num_pairs, 4U);
  EXPECT_EQ(paths.pairs_with, (std::vector<std::uint64_t>{0, 4}));
  EXPECT_EQ(paths.survive_link, 0U);
  EXPECT_EQ(paths.survive_switch, 0U);
}

}  // namespace
}  // namespace espalier
