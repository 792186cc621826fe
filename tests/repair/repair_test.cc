// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What repair promises, on random faults.
#include "core/repair/repair.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/analysis/congestion/congestion.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/modifiers.h"
#include "core/repair/survivors/survivor_costs.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/repair/routed.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::complaint;
using test::pgft;
using test::reference_by;

const std::vector<const char*>& specs() {
  static const std::vector<const char*> kSpecs{"2;4,6;1,4;1,1", "2;3,5;1,2;1,2", "3;3,3,4;1,3,2;1,1,1",
                                               "3;4,2,3;1,2,2;1,2,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"};
  return kSpecs;
}

// Entries at which both tables have a switch and a LID.
std::uint64_t entries_changed(const Fabric& before, const ForwardingTables& was, const Fabric& after,
                              const ForwardingTables& is) {
  std::uint64_t changed = 0;
  for (const SwitchId s : after.switches()) {
    const SwitchId old = before.find_switch(after.at(s).guid);
    for (std::size_t lid = 1; lid <= index(after.top_lid()); ++lid)
      changed += is.at(s, id_at<Lid>(lid)) != was.at(old, id_at<Lid>(lid)) ? 1 : 0;
  }
  return changed;
}

// visit(switch, port) for both ends of each link between switches.
template <class Visit>
void for_each_link(const Fabric& fabric, Visit visit) {
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).is_switch()) visit(s, p);
}

TEST(Repair, of_what_is_whole_is_the_reference) {
  for (const char* engine : {"dmodc", "balanced", "sftree", "ftree2", "bfs-dmodc"})
    for (const char* spec : specs()) {
      const Fabric whole = pgft(spec);
      const PreparedReference reference(reference_by(whole, engine));
      const PatchedRepair repaired = patch(reference, whole).value();
      EXPECT_EQ(repaired.tables.whole(), reference.reference().tables) << engine << ' ' << spec;
      EXPECT_EQ(repaired.entries, 0U);
      EXPECT_EQ(repaired.repaired_routes, 0U);
    }
}

TEST(Repair, is_sound_for_all_pairs_after_any_faults) {
  for (const char* engine : {"dmodc", "balanced", "ftree", "ftree2", "sftree", "gxmodk", "bfs-dmodc"})
    for (const char* spec : specs()) {
      const Fabric whole = pgft(spec);
      const PreparedReference reference(reference_by(whole, engine));
      const Damage most = most_damage(whole);
      for (std::uint64_t seed = 1001; seed < 1016; ++seed) {
        const Damage damage{.links = seed % 5 * most.links / 12,
                            .switches = seed % 3 * most.switches / 8,
                            .endports = seed % 2,
                            .seed = seed};
        const Fabric now = degrade(whole, damage).value();
        const PatchedRepair repaired = patch(reference, now).value();
        EXPECT_EQ(complaint(now, repaired.tables.whole()), "") << engine << ' ' << spec << " seed " << seed;
      }
    }
}

// Packets for a LID out of reach follow what is left of the reference's path, also by turns that have moved.
TEST(Repair, is_sound_where_turns_move_and_the_fabric_falls_apart) {
  const Fabric whole = pgft("4;2,2,2,3;1,2,2,2;1,1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const Fabric now = degrade(whole, {.links = 11, .seed = 1010}).value();
  EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "");
}

// What follows one root may look as if it followed the levels, but lead where up-down paths may not be added.
TEST(Repair, of_what_was_routed_from_one_root_is_sound) {
  std::size_t repairs = 0;
  for (const char* engine : {"bfs-dmodc", "bfs-ftree", "bfs-ftree2", "bfs-random"})
    for (const char* spec : {"2;5,5;1,2;1,1", "2;5,4;1,4;1,1", "3;3,2,4;1,4,2;1,1,1"})
      for (std::uint64_t seed = 1001; seed < 1011; ++seed) {
        const Fabric whole = pgft(spec);
        const PreparedReference reference(reference_by(degrade(whole, {.links = 2, .seed = seed}).value(), engine));
        for (std::uint64_t draw = seed + 1000; draw < seed + 1005; ++draw, ++repairs) {
          const Fabric now = degrade(whole, {.links = 3, .seed = draw}).value();
          EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "")
              << engine << ' ' << spec << " seed " << seed << " draw " << draw;
        }
      }
  EXPECT_EQ(repairs, 600U);
}

// Packets from some switches, which have an up-down path, go a longer one over switches that have none, and whose entries
// may change.
TEST(Repair, of_long_paths_over_detours_is_sound) {
  const Fabric whole = test::draw(
      "S18 L5 S19 S35 S23 S20 S31 L7 S16 S29 S21 S22 S17 S32 S34 L1 S15 L1:2 L5:2 L7:2 S23-S31 "
      "S19-S31 L7-S20 S21-S29 S17-S29 S16-S32 L7-S23 S22-S34 S20-S32 S15-S31 L5-S17 L5-S19 S15-S35 "
      "L7-S22 S19-S35 L7-S21 L5-S18 S18-S34 L5-S16 L1-S15",
      1);
  const PreparedReference reference(reference_by(whole, "bfs-ftree2"));
  const Fabric now = without_link(whole, test::switch_named(whole, "L5"), PortNum{6});
  EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "");
}

// One entry leads up, though its destination is below. Who has lost a link may come down to it.
TEST(Repair, beside_any_longer_path_is_sound) {
  // L2 is above L0 as well.
  const Fabric whole = test::draw("L0:1 L1:1 L2:1 L0-S3 L0-S4 L0-L2 L1-S3 L1-S4 L2-S3 L2-S4");
  const Reference shortest = reference_by(whole, "dmodc");
  std::size_t repairs = 0;
  for_each_link(whole, [&](SwitchId s, PortNum port) {
    for (std::size_t lid = 1; lid <= index(whole.top_lid()); ++lid) {
      Reference longer = shortest;
      longer.tables.set(s, id_at<Lid>(lid), port);
      if (!complaint(whole, longer.tables).empty()) continue;
      const PreparedReference reference(std::move(longer));
      for_each_link(whole, [&](SwitchId a, PortNum lost) {
        ++repairs;
        const Fabric now = without_link(whole, a, lost);
        EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "");
      });
    }
  });
  EXPECT_GT(repairs, 500U);
}

// Links that are too narrow for the hosts on both sides are set aside by whoever makes tables, and by repair as well.
TEST(Repair, is_sound_beside_links_that_are_set_aside) {
  for (const std::uint64_t seed : {5U, 1001U, 1002U, 1003U}) {
    const Fabric whole =
        modify(pgft("3;3,3,3;1,3,3;1,1,1"), {.service_hosts = 2, .leaf_links = 2, .seed = seed}).value();
    for (const char* engine : {"dmodc", "balanced"}) {
      const PreparedReference reference(reference_by(whole, engine));
      ASSERT_FALSE(reference.tree().context().set_aside.empty());
      for (std::uint64_t draw = 1; draw < 21; ++draw) {
        const Fabric now = degrade(whole, {.links = 1 + draw % 3, .seed = draw}).value();
        const PatchedRepair repaired = patch(reference, now).value();
        EXPECT_EQ(complaint(now, repaired.tables.whole()), "") << engine << " seed " << seed << " draw " << draw;
        EXPECT_NE(repaired.reach, RepairReach::kAll);
      }
    }
  }
}

// The leaf that is the root of two planes has lost its link to a third.
TEST(Repair, of_a_root_of_two_planes_stays_local) {
  const Fabric whole = pgft("3;4,4,6;1,5,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  std::size_t local = 0;
  for (std::uint64_t seed = 1001; seed < 1101; ++seed) {
    const Fabric now = degrade(whole, {.links = 5, .switches = 1, .seed = seed}).value();
    local += patch(reference, now).value().reach == RepairReach::kLocal ? 1 : 0;
  }
  EXPECT_GE(local, 97U);
}

// What led to a host that has lost its own link leads nowhere, and is in the way of nothing.
TEST(Repair, is_sound_where_all_detours_are_new_and_hosts_have_no_link) {
  std::size_t anew = 0;
  for (const char* spec : {"3;3,3,4;1,3,2;1,1,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"}) {
    const Fabric whole = pgft(spec);
    const PreparedReference reference(reference_by(whole, "dmodc"));
    const std::size_t links = most_damage(whole).links / 3;
    for (std::uint64_t seed = 1001; seed < 1101; ++seed) {
      Fabric now = degrade(whole, {.links = links, .seed = seed}).value();
      for (std::size_t e = seed % 7; e < now.num_endports(); e += 7)
        now = without_link(now, now.at(id_at<EndportId>(e)).leaf, now.at(id_at<EndportId>(e)).leaf_port);
      const PatchedRepair repaired = patch(reference, now).value();
      anew += repaired.reach == RepairReach::kDetours ? 1 : 0;
      EXPECT_EQ(complaint(now, repaired.tables.whole()), "") << spec << " seed " << seed;
    }
  }
  EXPECT_GE(anew, 10U);
}

// What led to hosts that have lost their link and their switch turned where turns may have moved from.
TEST(Repair, is_sound_where_hosts_have_no_link_and_their_switch_is_gone) {
  std::size_t repairs = 0;
  for (const char* spec : {"3;3,3,4;1,3,2;1,1,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"})
    for (std::uint64_t seed = 1001; seed < 1041; ++seed) {
      const Fabric whole = degrade(pgft(spec), {.links = seed % 13, .seed = seed}).value();
      const PreparedReference reference(reference_by(whole, "dmodc"));
      for (const SwitchId t : whole.switches()) {
        Fabric now = degrade(whole, {.links = 2, .seed = seed + index(t)}).value();
        std::vector<EndportId> hosts;
        for (const EndportId e : now.endports())
          if (now.at(e).leaf == t) hosts.push_back(e);
        if (hosts.empty()) continue;
        for (const EndportId e : hosts) now = without_link(now, t, now.at(e).leaf_port);
        now = without_switch(now, t);
        ++repairs;
        EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "") << spec << " seed " << seed;
      }
    }
  EXPECT_GT(repairs, 500U);
}

TEST(Repair, of_drawn_oddities_is_sound) {
  for (const auto& [name, whole] : test::all_drawn_fabrics()) {
    const PreparedReference reference(reference_by(whole, "balanced"));
    const Damage most = most_damage(whole);
    for (std::uint64_t seed = 1001; seed < 1021; ++seed) {
      const Fabric now =
          degrade(whole, {.links = seed % (most.links + 1), .endports = seed % (most.endports + 1), .seed = seed})
              .value();
      EXPECT_EQ(complaint(now, patch(reference, now).value().tables.whole()), "") << name << " seed " << seed;
    }
  }
}

// Rows that no entry changed in are the reference's own memory; the others hold what differs.
// Over ten draws and all shifts, the mean of the flows on the fullest channel.
double mean_shift_after_repairs(const char* spec, std::size_t links) {
  const Fabric whole = pgft(spec);
  const PreparedReference reference(reference_by(whole, "balanced"));
  constexpr std::uint64_t kDraws = 10;
  double sum = 0;
  for (std::uint64_t seed = 3001; seed < 3001 + kDraws; ++seed) {
    const Fabric now = degrade(whole, {.links = links, .seed = seed}).value();
    const FatTree tree = rank(now).value();
    const HostRoutes routes(now, patch(reference, now).value().tables.whole(),
                            topological_order(tree, UpDownCosts(tree)).hosts);
    sum += shift_risk(routes).mean();
  }
  return sum / kDraws;
}

// With leaves that choose column by column, before all switches above have chosen, it is 3.56.
TEST(Repair, lets_leaves_choose_when_it_is_known_where_there_is_room) {
  EXPECT_LT(mean_shift_after_repairs("3;8,6,10;1,8,3;1,1,1", 24), 3.53);
}

// Where a port fits whatever the classes beside that of the flow hold, it is 6.03.
TEST(Repair, leaves_room_for_shifts_by_part_of_a_leaf) {
  EXPECT_LT(mean_shift_after_repairs("3;8,12,8;1,8,3;1,1,1", 48), 6.01);
}

TEST(Repair, patches_only_blocks_that_it_writes) {
  std::size_t blocks = 0, own = 0, unchanged = 0;
  for (const char* engine : {"dmodc", "balanced", "bfs-dmodc"})
    for (const char* spec : specs()) {
      const Fabric whole = pgft(spec);
      const PreparedReference reference(reference_by(whole, engine));
      for (std::uint64_t seed = 1001; seed < 1025; ++seed) {
        const std::size_t kind = seed % 4;
        const Fabric now = degrade(whole, {.links = kind, .spines = kind == 3 ? 1U : 0U, .seed = seed}).value();
        const PatchedRepair patched = patch(reference, now).value();
        for (const SwitchId s : now.switches()) {
          const PortNum* const was =
              reference.reference().tables.row(reference.fabric().find_switch(now.at(s).guid)).data();
          blocks += (patched.tables.rows().width() + kLidsPerBlock - 1) / kLidsPerBlock;
          patched.tables.rows().row(s).for_each_block_apart(
              was, [&](std::size_t first, const PortNum* is, std::size_t size) {
                ++own;
                unchanged += std::equal(is, is + size, was + first) ? 1U : 0U;
              });
        }
      }
    }
  EXPECT_GT(own, 100U);
  EXPECT_LT(own, blocks * 3 / 4);
  EXPECT_LT(unchanged, own / 20) << "written, and written back";
}

TEST(Repair, counts_what_it_changes) {
  const Fabric whole = pgft("3;3,3,4;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  for (std::uint64_t seed = 1001; seed < 1006; ++seed) {
    const Fabric now = degrade(whole, {.links = 2, .seed = seed}).value();
    const PatchedRepair repaired = patch(reference, now).value();
    EXPECT_EQ(repaired.entries, entries_changed(whole, reference.reference().tables, now, repaired.tables.whole()));
    EXPECT_GT(repaired.entries, 0U);
  }
}

TEST(Repair, leaves_the_entries_for_a_host_that_is_gone) {
  const Fabric whole = pgft("3;3,3,4;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "dmodc"));
  const Fabric now = degrade(whole, {.endports = 3, .seed = 1001}).value();
  const PatchedRepair repaired = patch(reference, now).value();
  EXPECT_EQ(repaired.entries, 0U);
}

TEST(Repair, does_not_depend_on_threads) {
  const Fabric whole = pgft("3;4,4,6;1,4,4;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const Fabric now = degrade(whole, {.links = 30, .switches = 2, .seed = 1001}).value();
  const auto with = [&](int threads) {
    return tbb::task_arena(threads).execute([&] { return patch(reference, now).value().tables.whole(); });
  };
  const ForwardingTables one = with(1);
  EXPECT_EQ(with(2), one);
  EXPECT_EQ(with(7), one);
}

TEST(Repair, does_not_depend_on_the_order_of_discovery) {
  const Fabric whole = pgft("3;3,3,4;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const Fabric now = degrade(whole, {.links = 5, .seed = 1001}).value();
  EXPECT_EQ(patch(reference, test::shuffled(now, 3)).value().tables.whole(),
            patch(reference, now).value().tables.whole());
}

TEST(Repair, moves_no_entry_of_hosts_that_still_leads_closer_but_at_leaves_that_shed) {
  const Fabric whole = pgft("3;4,4,6;1,4,4;1,1,1");
  const PreparedReference reference(reference_by(whole, "dmodc"));
  const FatTree& tree = reference.tree();
  for (std::uint64_t seed = 1001; seed < 1011; ++seed) {
    const Fabric now = degrade(whole, {.links = 3, .seed = seed}).value();
    const ForwardingTables tables = patch(reference, now).value().tables.whole();
    const Survivors alive = find_survivors(whole, now);
    const SurvivorCosts costs(tree, reference.costs(), alive);
    for (const SwitchId s : whole.switches())
      for (std::size_t lid = 1; lid <= index(whole.top_lid()); ++lid) {
        const SwitchId t = whole.destination_switch(id_at<Lid>(lid));
        const PortNum was = reference.reference().tables.at(s, id_at<Lid>(lid));
        if (s == t || tables.at(s, id_at<Lid>(lid)) == was || costs.cost(s, t) == kUnreachable) continue;
        if (alive.channel[whole.channel(s, was)] == 0) continue;
        const SwitchId next = whole.peer(s, was).as_switch();
        EXPECT_TRUE(costs.cost(next, t) >= costs.cost(s, t) || !tree.hosts(s).empty());
      }
  }
}

TEST(Repair, carries_lids_that_were_numbered_anew) {
  const Fabric whole = test::three_level_tree();
  const PreparedReference reference(reference_by(whole, "dmodc"));
  FabricBuilder builder(whole);
  for (std::size_t e = 0; e < builder.num_endports(); ++e) {
    auto& endport = builder.at(id_at<FabricBuilder::EndportHandle>(e));
    endport.lid = id_at<Lid>(index(endport.lid) + 100);
  }
  const Fabric now = std::move(builder).build().value();
  const ForwardingTables tables = patch(reference, now).value().tables.whole();
  EXPECT_EQ(complaint(now, tables), "");
  for (const SwitchId s : whole.switches())
    for (const EndportId e : whole.endports())
      EXPECT_EQ(tables.at(s, now.at(e).lid), reference.reference().tables.at(s, whole.at(e).lid));
}

}  // namespace
}  // namespace espalier
