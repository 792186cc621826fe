// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/sibling_switches.h"

#include <gtest/gtest.h>

#include "tests/support/fabrics.h"

namespace espalier {
namespace {

constexpr std::size_t kLeaves = 20;
constexpr std::size_t kSpines = 18;

// 20 leaves with 18 hosts each, every leaf cabled by ports 19 .. 36 to the 18 spines, port i+1 of which leads to leaf i.
Fabric two_levels() { return test::pgft("2;18,20;1,18;1,1"); }

std::size_t port_up(std::size_t lid) { return 19 + lid % kSpines; }

// Rows that are the same on all leaves, and the same on all spines.
ForwardingTables alike(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid < tables.width(); ++lid)
      tables.set(s, id_at<Lid>(lid), id_at<PortNum>(index(s) < kLeaves ? port_up(lid) : 1 + lid % kLeaves));
  return tables;
}

IdVector<SwitchId, SwitchId> siblings(const Fabric& fabric, const ForwardingTables& tables) {
  return find_siblings(fabric, tables, owned_lids(fabric));
}

TEST(SiblingSwitches, AreTheLeavesAndTheSpinesOfATreeWithTheLowestOfEachFirst) {
  const Fabric fabric = two_levels();
  const IdVector<SwitchId, SwitchId> found = siblings(fabric, alike(fabric));
  for (const SwitchId s : fabric.switches())
    EXPECT_EQ(found[s], id_at<SwitchId>(index(s) < kLeaves ? 0 : kLeaves)) << index(s);
}

TEST(SiblingSwitches, ShareThreeQuartersOfTheirEntries) {
  const Fabric fabric = two_levels();
  ForwardingTables tables = alike(fabric);
  const SwitchId half{3};
  const SwitchId most{4};
  for (std::size_t lid = 1; lid < tables.width(); ++lid) {
    if (lid % 2 == 0) tables.set(half, id_at<Lid>(lid), id_at<PortNum>(port_up(lid + 1)));
    if (lid % 10 == 0) tables.set(most, id_at<Lid>(lid), id_at<PortNum>(port_up(lid + 1)));
  }
  const IdVector<SwitchId, SwitchId> found = siblings(fabric, tables);
  EXPECT_EQ(found[half], half);
  EXPECT_EQ(found[most], SwitchId{0});
}

TEST(SiblingSwitches, AreNotFoundWhereThereAreFewLids) {
  const Fabric fabric = test::pgft("2;2,4;1,2;1,1");
  for (const SwitchId s : fabric.switches())
    EXPECT_EQ(siblings(fabric, ForwardingTables(fabric.num_switches(), fabric.top_lid()))[s], s);
}

}  // namespace
}  // namespace espalier
