// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the reference does not know.
#include <gtest/gtest.h>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/faults.h"
#include "core/repair/new_equipment/extend_reference.h"
#include "core/repair/repair.h"
#include "core/repair/survivors/survivors.h"
#include "core/tree/rank.h"
#include "tests/repair/routed.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_by;

Fabric whole_tree() { return test::pgft("3;3,3,4;1,3,2;1,1,1"); }

// References made for damaged fabrics, repaired for the whole one, are sound, and old entries stay.
void grow_from(const Damage& damage) {
  const Fabric whole = whole_tree();
  const Fabric less = degrade(whole, damage).value();
  const PreparedReference reference(reference_by(less, "balanced"));
  const ForwardingTables tables = patch(reference, whole).value().tables.whole();
  EXPECT_EQ(complaint(whole, tables), "");
  std::uint64_t moved = 0;
  std::uint64_t all = 0;
  for (const SwitchId s : less.switches())
    for (std::size_t lid = 1; lid <= index(less.top_lid()); ++lid) {
      if (!less.is_in_use(id_at<Lid>(lid))) continue;
      const SwitchId now = whole.find_switch(less.at(s).guid);
      ++all;
      moved += tables.at(now, id_at<Lid>(lid)) != reference.reference().tables.at(s, id_at<Lid>(lid)) ? 1 : 0;
    }
  EXPECT_LT(moved * 3, all);
}

TEST(Growth, of_hosts_is_routed) { grow_from({.endports = 5, .seed = 1001}); }
TEST(Growth, of_spines_is_routed) { grow_from({.switches = 1, .seed = 1002}); }
TEST(Growth, of_links_is_routed) { grow_from({.links = 4, .seed = 1003}); }
TEST(Growth, of_all_at_once_is_routed) { grow_from({.links = 6, .switches = 2, .endports = 4, .seed = 1004}); }

TEST(Growth, of_a_leaf_is_routed) {
  const Fabric whole = whole_tree();
  const FatTree tree = rank(whole).value();
  for (const SwitchId s : whole.switches()) {
    if (tree.hosts(s).empty()) continue;
    const Fabric less = without_switch(whole, s);
    const PreparedReference reference(reference_by(less, "dmodc"));
    EXPECT_EQ(complaint(whole, patch(reference, whole).value().tables.whole()), "");
  }
}

// No other entry moves, and no reference has to be prepared for it.
TEST(Growth, of_hosts_follows_the_hosts_beside_them) {
  const Fabric whole = whole_tree();
  for (std::uint64_t seed = 1001; seed < 1006; ++seed) {
    const Fabric less = degrade(whole, {.endports = 4, .seed = seed}).value();
    const PreparedReference reference(reference_by(less, "balanced"));
    const PatchedRepair repaired = patch(reference, whole).value();
    const ForwardingTables tables = repaired.tables.whole();
    EXPECT_TRUE(repaired.has_new_equipment);
    EXPECT_EQ(repaired.entries, 0U);
    for (const EndportId e : whole.endports()) {
      if (less.find_endport(whole.at(e).port_guid) != kNoEndport) continue;
      const SwitchId leaf = whole.at(e).leaf;
      EXPECT_EQ(tables.at(leaf, whole.at(e).lid), whole.at(e).leaf_port);
      for (const SwitchId s : whole.switches())
        if (s != leaf) {
          EXPECT_NE(tables.at(s, whole.at(e).lid), kNoPort);
        }
    }
    EXPECT_EQ(complaint(whole, tables), "");
  }
}

// Where all detours are new, those to new hosts are as well.
TEST(Growth, of_hosts_is_routed_where_all_detours_are_new) {
  std::size_t anew = 0;
  for (const char* spec : {"3;3,3,4;1,3,2;1,1,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"}) {
    const Fabric whole = test::pgft(spec);
    const std::size_t links = most_damage(whole).links / 3;
    for (std::uint64_t seed = 1001; seed < 1101; ++seed) {
      const PreparedReference reference(reference_by(degrade(whole, {.endports = 5, .seed = seed}).value(), "dmodc"));
      const Fabric now = degrade(whole, {.links = links, .seed = seed}).value();
      const PatchedRepair repaired = patch(reference, now).value();
      anew += repaired.reach == RepairReach::kDetours ? 1 : 0;
      EXPECT_EQ(complaint(now, repaired.tables.whole()), "") << spec << " seed " << seed;
    }
  }
  EXPECT_GE(anew, 10U);
}

// Two cables have changed places: what led over them leads elsewhere now.
TEST(Growth, of_cables_that_changed_places_is_routed) {
  const Fabric before = test::draw("S0 S1 L0:4 L0-S0 L0-S1");
  const Fabric now = test::draw("S0 S1 L0:4 L0-S1 L0-S0");
  const PreparedReference reference(reference_by(before, "dmodc"));
  EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "");
}

// New switches hang on known ones: nothing else moves, and no reference has to be prepared for it.
TEST(Growth, of_switches_hangs_them_on_known_ones) {
  const Fabric whole = whole_tree();
  int covered = 0;
  for (std::uint64_t seed = 1001; seed < 1041; ++seed) {
    const Fabric less = degrade(whole, {.switches = 1 + seed % 4, .seed = seed}).value();
    const PreparedReference reference(reference_by(less, "balanced"));
    const Survivors alive = find_survivors(less, whole);
    ASSERT_EQ(alive.new_switches.size(), 1 + seed % 4);
    if (!covers(alive, whole)) continue;  // parts that only new switches join
    ++covered;
    const PatchedRepair repaired = patch(reference, whole).value();
    EXPECT_TRUE(repaired.has_new_equipment);
    EXPECT_EQ(repaired.entries, 0U);
    EXPECT_EQ(repaired.num_following, whole.num_endports() - less.num_endports() + alive.new_switches.size());
    EXPECT_EQ(repaired.reach, RepairReach::kLocal);
    EXPECT_EQ(complaint(whole, repaired.tables.whole()), "");
  }
  EXPECT_GT(covered, 20);
}

// Three new switches with hosts behind one port: one at it, two behind that one, joined by a link of their own.
TEST(Growth, of_a_cluster_of_switches_behind_one_port_is_routed) {
  const Fabric whole = whole_tree();
  const SwitchId leaf = whole.at(EndportId{0}).leaf;
  const PortNum port = whole.at(EndportId{0}).leaf_port;
  const Fabric less = without_endport(whole, EndportId{0});
  FabricBuilder builder(less);
  std::size_t lid = index(less.top_lid()) + 1;
  std::vector<FabricBuilder::SwitchHandle> added;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Switch s;
    s.guid = id_at<Guid>(0x7000 + i);
    s.lid = id_at<Lid>(lid++);
    s.num_ports = 8;
    added.push_back(builder.add_switch(std::move(s)));
    for (std::uint8_t h = 0; h < 2; ++h) {
      Endport e;
      e.node_guid = e.port_guid = id_at<Guid>(0x8000 + 10 * i + h);
      e.lid = id_at<Lid>(lid++);
      builder.connect(added.back(), id_at<PortNum>(h + 1U), builder.add_endport(std::move(e)));
    }
  }
  builder.connect(FabricBuilder::SwitchHandle{static_cast<std::uint32_t>(leaf)}, port, added[0], PortNum{8});
  builder.connect(added[0], PortNum{7}, added[1], PortNum{8});
  builder.connect(added[0], PortNum{6}, added[2], PortNum{8});
  builder.connect(added[1], PortNum{7}, added[2], PortNum{7});
  const Fabric now = std::move(builder).build().value();
  const PreparedReference reference(reference_by(less, "balanced"));
  const PatchedRepair repaired = patch(reference, now).value();
  EXPECT_EQ(repaired.entries, 0U);
  EXPECT_EQ(complaint(now, repaired.tables.whole()), "");
}

// Tables made while much was gone lead many packets around what has come back since. Beside new up-down paths such entries
// close credit loops.
TEST(Growth, may_be_followed_by_any_faults) {
  std::size_t oriented = 0;
  for (const char* spec : {"3;3,3,4;1,3,2;1,1,1", "3;4,4,6;1,4,3;1,1,1", "2;4,6;1,4;1,1"}) {
    const Fabric whole = test::pgft(spec);
    const auto drawn = [&](std::uint64_t seed) {
      return degrade(whole, {.links = seed % 7, .switches = seed % 3, .endports = seed % 2, .seed = seed}).value();
    };
    for (const char* engine : {"dmodc", "balanced"})
      for (std::uint64_t seed = 1001; seed < 1041; ++seed) {
        Reference grown = reference_by(drawn(seed), engine);
        for (const Fabric& now : {drawn(seed + 1000), whole}) grown = extend(grown, now).value();
        const PreparedReference reference(std::move(grown));
        oriented += reference.is_oriented() ? 1 : 0;
        for (std::size_t lid = 1; reference.is_oriented() && lid < reference.num_lids(); ++lid)
          ASSERT_TRUE(reference.odd(lid).empty());
        for (std::uint64_t next = seed + 2000; next < seed + 2010; ++next) {
          const Fabric now = drawn(next);
          ASSERT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "")
              << spec << ' ' << engine << ' ' << seed;
        }
      }
  }
  EXPECT_GE(oriented, 215U);
}

// Entries for them turn where no packet to anybody else does: beside up-down paths they could close loops.
TEST(Growth, drops_the_entries_for_hosts_without_a_link) {
  const Fabric whole = whole_tree();
  const auto drawn = [&](std::uint64_t seed) {
    return degrade(whole, {.links = seed % 19, .switches = seed % 3, .seed = seed}).value();
  };
  const auto unplugged = [](Fabric fabric) {
    for (std::size_t e = 0; e < fabric.num_endports(); e += 2)
      fabric = without_link(fabric, fabric.at(id_at<EndportId>(e)).leaf, fabric.at(id_at<EndportId>(e)).leaf_port);
    return fabric;
  };
  for (std::uint64_t seed = 1001; seed < 1041; ++seed) {
    Reference grown = reference_by(drawn(seed), "dmodc");
    grown = extend(grown, unplugged(whole)).value();
    for (const SwitchId s : grown.fabric.switches())
      EXPECT_EQ(grown.tables.at(s, grown.fabric.at(EndportId{0}).lid), kNoPort);
    const PreparedReference reference(std::move(grown));
    for (std::uint64_t next = seed + 2000; next < seed + 2020; ++next) {
      const Fabric now = unplugged(drawn(next));
      ASSERT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "") << seed << ' ' << next;
    }
  }
}

TEST(Growth, keeps_the_place_of_ghosts) {
  const Fabric whole = whole_tree();
  const Reference reference = reference_by(degrade(whole, {.switches = 1, .seed = 1001}).value(), "dmodc");
  const Reference both = extend(reference, degrade(whole, {.switches = 1, .seed = 1005}).value()).value();
  EXPECT_EQ(both.fabric.num_switches(), whole.num_switches());
  EXPECT_EQ(both.fabric.num_switch_links(), whole.num_switch_links());
  for (const SwitchId s : reference.fabric.switches()) {
    const SwitchId in_both = both.fabric.find_switch(reference.fabric.at(s).guid);
    for (std::size_t lid = 1; lid <= index(reference.fabric.top_lid()); ++lid)
      if (reference.fabric.is_in_use(id_at<Lid>(lid))) {
        EXPECT_EQ(both.tables.at(in_both, id_at<Lid>(lid)), reference.tables.at(s, id_at<Lid>(lid)));
      }
  }
}

}  // namespace
}  // namespace espalier
