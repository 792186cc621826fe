// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Faults that take the turns of detours: repaired where they are, not by new detours for the whole fabric.
#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/repair/repair.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_by;

struct Reach {
  int local = 0, others = 0;
};

void judge(const PreparedReference& reference, const Fabric& now, Reach& reach) {
  const PatchedRepair repaired = patch(reference, now).value();
  EXPECT_EQ(complaint(now, repaired.tables.whole()), "");
  (repaired.reach == RepairReach::kLocal ? reach.local : reach.others) += 1;
}

// Five planes, each with two tops; a root for each plane.
TEST(MovedTurns, keep_single_faults_local) {
  const Fabric whole = test::pgft("3;4,4,6;1,5,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  Reach links, switches;
  for (const SwitchId s : whole.switches()) {
    judge(reference, without_switch(whole, s), switches);
    for (const PortNum p : whole.ports(s))
      if (const Peer& peer = whole.peer(s, p); peer.is_switch() && index(s) < peer.id)
        judge(reference, without_link(whole, s, p), links);
  }
  EXPECT_EQ(links.others, 0);
  EXPECT_EQ(switches.others, 0);
  EXPECT_GT(links.local, 150);
}

// Eight planes, each with three tops. If all turns of a root move when a switch of its pod is lost, these are 104 860
// entries. Leaves that turn for hosts do so where there is room: by turns, the mean over shifts is 2.96 once.
TEST(MovedTurns, stay_where_a_third_plane_leads_on) {
  const Fabric whole = test::pgft("3;8,6,10;1,8,3;1,1,1");
  const PreparedReference reference(reference_by(whole, "dmodc"));
  const FatTree& tree = reference.tree();
  std::uint64_t entries = 0;
  for (const SwitchId s : whole.switches()) {
    if (tree.up_groups(s).empty() || tree.down_groups(s).empty()) continue;
    const Fabric now = without_switch(whole, s);
    const PatchedRepair repaired = patch(reference, now).value();
    const ForwardingTables tables = repaired.tables.whole();
    EXPECT_EQ(complaint(now, tables), "");
    entries += repaired.entries;
    const FatTree left = rank(now).value();
    const HostRoutes routes(now, tables, topological_order(left, UpDownCosts(left)).hosts);
    EXPECT_LT(shift_risk(routes).mean(), 2.91);
  }
  EXPECT_LT(entries, 92000U);
}

// The same tree: the turns of a root that loses a link upward stay but for those over that link. If all of them move, these
// are 1 327 entries at most.
TEST(MovedTurns, stay_where_only_one_top_is_cut_off) {
  const Fabric whole = test::pgft("3;8,6,10;1,8,3;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  std::uint64_t most = 0, sum = 0;
  for (const SwitchId top : whole.switches()) {
    if (!reference.tree().up_groups(top).empty()) continue;
    for (const PortNum p : whole.ports(top)) {
      const Fabric now = without_link(whole, top, p);
      const PatchedRepair repaired = patch(reference, now).value();
      EXPECT_EQ(complaint(now, repaired.tables.whole()), "");
      EXPECT_EQ(repaired.reach, RepairReach::kLocal);
      most = std::max(most, repaired.entries);
      sum += repaired.entries;
    }
  }
  EXPECT_LT(most, 600U);
  EXPECT_LT(sum, 110000U);
}

// What came to the cut-off top goes on by a switch that changes its own entry for that: nobody else does. If those who come
// to it leave it one after another, until that switch is among them, these are 42 967 entries
// for switches.
TEST(MovedTurns, stay_where_one_switch_makes_up_for_a_link_of_all_others) {
  const Fabric regular = test::pgft("3;4,4,20;1,6,3;1,1,1");
  const Fabric whole = change(regular, {.guids = SiteChanges::Guids::kShuffled, .seed = 1}).value();
  const PreparedReference reference(reference_by(whole, "balanced"));
  const ForwardingTables& before = reference.reference().tables;
  std::uint64_t entries = 0;
  for (const SwitchId top : whole.switches()) {
    if (!reference.tree().up_groups(top).empty()) continue;
    for (const PortNum p : whole.ports(top)) {
      const Fabric now = without_link(whole, top, p);
      const ForwardingTables after = patch(reference, now).value().tables.whole();
      EXPECT_EQ(complaint(now, after), "");
      for (const SwitchId t : whole.switches())
        for (const SwitchId s : whole.switches())
          entries += after.at(s, whole.at(t).lid) != before.at(s, whole.at(t).lid) ? 1 : 0;
    }
  }
  EXPECT_LT(entries, 41000U);
}

// Where one of several cables is lost, its turns go over another: entries for switches change at its two ends alone.
TEST(MovedTurns, stay_where_another_cable_joins_the_same_switches) {
  const Fabric whole = test::pgft("3;4,4,4;1,4,2;1,2,2");
  for (const char* engine : {"dmodc", "balanced"}) {
    const PreparedReference reference(reference_by(whole, engine));
    for (const SwitchId s : whole.switches())
      for (const PortNum p : whole.ports(s)) {
        const Peer& peer = whole.peer(s, p);
        if (!peer.is_switch() || index(s) > peer.id) continue;
        const Fabric now = without_link(whole, s, p);
        const ForwardingTables tables = patch(reference, now).value().tables.whole();
        EXPECT_EQ(complaint(now, tables), "");
        for (const SwitchId t : whole.switches())
          for (const SwitchId x : whole.switches()) {
            if (x == s || x == peer.as_switch()) continue;
            EXPECT_EQ(tables.at(x, whole.at(t).lid), reference.reference().tables.at(x, whole.at(t).lid))
                << engine << ": " << whole.label(x) << " to " << whole.label(t);
          }
      }
  }
}

// Without 40 of 1 536 links between switches, each of which has another beside it. Moving the turns of all roots that have
// lost a cable changes 28 693 entries.
TEST(MovedTurns, stay_where_some_of_several_cables_are_left) {
  const Fabric whole = test::pgft("3;8,8,12;1,8,4;1,2,2");
  const PreparedReference reference(reference_by(whole, "balanced"));
  std::uint64_t entries = 0;
  for (std::uint64_t seed = 1017; seed < 1022; ++seed) {
    const Fabric now = degrade(whole, {.links = 40, .seed = seed}).value();
    const PatchedRepair repaired = patch(reference, now).value();
    EXPECT_EQ(complaint(now, repaired.tables.whole()), "");
    EXPECT_EQ(repaired.reach, RepairReach::kLocal);
    entries += repaired.entries;
  }
  EXPECT_LT(entries, 20000U);
}

TEST(MovedTurns, keep_most_faults_of_several_links_local) {
  const Fabric whole = test::pgft("3;4,4,6;1,5,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  Reach reach;
  for (std::uint64_t seed = 1001; seed < 1101; ++seed)
    judge(reference, degrade(whole, {.links = 5, .seed = seed}).value(), reach);
  EXPECT_GE(reach.local, 98);
}

// Tables of another orientation: some entries lead over turns though there is an up-down path. What stays at such an entry
// may not lose its turn, nor may the path behind it change.
TEST(MovedTurns, stay_where_paths_of_up_down_pairs_lead_over_them) {
  struct Case {
    const char* engine;
    const char* spec;
    std::size_t links;
    std::uint64_t seed;
  };
  for (const Case& one :
       {Case{"bfs-ftree", "3;2,2,3;1,2,2;1,1,1", 0, 1042}, Case{"bfs-ftree", "3;2,3,3;1,2,3;1,1,1", 0, 1004},
        Case{"bfs-ftree", "3;2,3,3;1,2,3;1,1,1", 4, 1048}, Case{"bfs-ftree", "3;3,3,4;1,3,2;1,1,1", 7, 1014},
        Case{"bfs-dmodc", "3;3,3,4;1,3,2;1,1,1", 2, 1046}}) {
    SCOPED_TRACE(testing::Message() << one.engine << ' ' << one.spec << " seed " << one.seed);
    const Fabric regular = test::pgft(one.spec);
    const Fabric whole = change(degrade(regular, {.links = one.links, .seed = one.seed}).value(),
                                {.guids = SiteChanges::Guids::kShuffled, .stray_links = one.seed % 3, .seed = one.seed})
                             .value();
    const PreparedReference reference(reference_by(whole, one.engine));
    ASSERT_TRUE(reference.is_oriented());
    for (const SwitchId s : whole.switches()) {
      const Fabric now = without_switch(whole, s);
      EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "") << "without " << whole.label(s);
    }
  }
}

}  // namespace
}  // namespace espalier
