// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair of tables with lanes: faults of small fabrics of many kinds, judged by verify(), which shares no step with the code
// under test.
#include "core/repair/lanes/repair_on_lanes.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/faults.h"
#include "core/repair/repairable_reference.h"
#include "core/tree/rank.h"
#include "tests/repair/each_fault.h"
#include "tests/repair/routed.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::break_each_once;
using test::complaint;
using test::reference_on_lanes;

struct Case {
  std::string kind, spec, engine;
  unsigned vls;
  std::uint8_t lmc = 0;

  [[nodiscard]] Fabric fabric() const { return test::generated(kind, spec, lmc, 1001); }
  [[nodiscard]] std::string name() const { return kind + " " + spec + " " + engine + " on " + std::to_string(vls); }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"jellyfish", "24,4,2", "layers", 2},
                                     {"jellyfish", "24,4,2", "layers", 4},
                                     {"jellyfish", "16,5,2", "layers", 3, 1},
                                     {"slimfly", "3,2", "layers", 2},
                                     {"torus", "4,4,1", "layers", 4},
                                     {"hyperx", "3,4;2,1;2", "layers", 4},
                                     {"gdbg", "20,3,2", "layers", 4},
                                     {"dragonfly", "2,4,2,9", "layers", 4},
                                     {"dragonfly", "2,4,2,9", "dragonfly-rlm", 4}};
  return all;
}

Reference reference_of(const Case& c, const Fabric& fabric) { return reference_on_lanes(fabric, c.engine, c.vls); }

// The first host and the last one have changed places.
Fabric with_swapped_hosts(const Fabric& fabric) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> switches;
  for (const SwitchId s : fabric.switches()) switches.push_back(builder.add_switch(fabric.at(s)));
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && index(s) < peer.id)
        builder.connect(switches[index(s)], p, switches[peer.id], peer.port);
  const std::size_t last = fabric.num_endports() - 1;
  for (const EndportId e : fabric.endports()) {
    const Endport& host = fabric.at(e);
    const Endport& place = index(e) == 0      ? fabric.at(id_at<EndportId>(last))
                           : index(e) == last ? fabric.at(EndportId{0})
                                              : host;
    builder.connect(switches[index(place.leaf)], place.leaf_port, builder.add_endport(host));
  }
  return std::move(builder).build().value();
}

std::string complaint(const Fabric& now, const PatchedRepair& repaired) {
  return complaint(verify(now, repaired.tables.whole(), repaired.lanes));
}

// Whether the reference's path from `s` to `lid` is still there.
bool is_intact(const Reference& reference, const Fabric& now, SwitchId s, Lid lid) {
  const SwitchId t = reference.fabric.destination_switch(lid);
  while (s != t) {
    const PortNum port = reference.tables.at(s, lid);
    if (!now.peer(s, port).is_switch()) return false;
    s = now.peer(s, port).as_switch();
  }
  return true;
}

// Whether the path from `s` to `lid` is that of the reference. REQUIRES: that one is intact.
bool is_kept(const Reference& reference, const Fabric& now, const PatchedRepair& repaired, SwitchId s, Lid lid) {
  const SwitchId t = now.destination_switch(lid);
  for (; s != t; s = now.peer(s, reference.tables.at(s, lid)).as_switch())
    if (repaired.tables.rows().at(s, lid) != reference.tables.at(s, lid)) return false;
  return true;
}

// Paths that have not been moved keep their service levels; columns without a broken path keep all entries.
// REQUIRES: the switches and LIDs of `now` are those of the reference.
std::string moved_needlessly(const Reference& reference, const Fabric& now, const PatchedRepair& repaired) {
  for (std::size_t i = 1; i <= index(now.top_lid()); ++i) {
    const Lid lid = id_at<Lid>(i);
    if (now.destination_switch(lid) == kNoSwitch) continue;
    bool is_whole = true;
    for (const SwitchId s : now.switches()) {
      const bool intact = is_intact(reference, now, s, lid);
      is_whole = is_whole && intact;
      if (intact && is_kept(reference, now, repaired, s, lid) &&
          repaired.lanes->sl(now.at(s).lid, lid) != reference.lanes->sl(now.at(s).lid, lid))
        return now.label(s) + " has another level to LID " + std::to_string(i);
    }
    if (!is_whole) continue;
    for (const SwitchId s : now.switches())
      if (repaired.tables.rows().at(s, lid) != reference.tables.at(s, lid))
        return now.label(s) + " has another entry for LID " + std::to_string(i);
  }
  return "";
}

TEST(RepairOnLanes, is_sound_after_each_single_fault) {
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    break_each_once(whole, [&](const Fabric& now, const std::string& what) {
      const auto repaired = reference->patch(now, {});
      ASSERT_TRUE(repaired) << c.name() << ", " << what << ": " << repaired.error().text();
      EXPECT_EQ(complaint(now, *repaired), "") << c.name() << ", " << what;
      if (now.num_switches() < whole.num_switches() || repaired->reach != RepairReach::kLocal) return;
      EXPECT_EQ(moved_needlessly(reference->reference(), now, *repaired), "") << c.name() << ", " << what;
    });
  }
}

TEST(RepairOnLanes, of_nothing_is_the_reference) {
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    const auto repaired = reference->patch(whole, {});
    ASSERT_TRUE(repaired) << c.name();
    EXPECT_EQ(repaired->tables.whole(), reference->reference().tables) << c.name();
    EXPECT_EQ(repaired->entries, 0) << c.name();
    EXPECT_EQ(repaired->repaired_routes, 0) << c.name();
    EXPECT_FALSE(repaired->has_new_equipment) << c.name();
    for (const EndportId a : whole.endports())
      for (const EndportId b : whole.endports())
        for (const Lid lid : lids_of(whole.at(b)))
          ASSERT_EQ(repaired->lanes->sl(whole.at(a).lid, lid), reference->reference().lanes->sl(whole.at(a).lid, lid));
  }
}

TEST(RepairOnLanes, is_sound_after_many_faults_and_mostly_local) {
  std::size_t local = 0, all = 0;
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::size_t links = whole.num_switch_links() * (1 + seed % 4) / 20;
      const Fabric now = degrade(whole, {.links = links, .switches = 0, .endports = seed % 3, .seed = seed}).value();
      const auto repaired = reference->patch(now, {});
      ASSERT_TRUE(repaired) << c.name() << ", seed " << seed << ": " << repaired.error().text();
      EXPECT_EQ(complaint(now, *repaired), "") << c.name() << ", seed " << seed;
      ++(repaired->reach == RepairReach::kLocal ? local : all);
      if (repaired->reach != RepairReach::kLocal) continue;
      EXPECT_EQ(moved_needlessly(reference->reference(), now, *repaired), "") << c.name() << ", seed " << seed;
    }
  }
  EXPECT_GT(local, 4 * all);
}

// Switches get new tables one after the other, and hosts keep service levels: what both make together must close no cycle.
TEST(RepairOnLanes, closes_no_cycle_with_the_routes_of_before) {
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const Reference reference = reference_of(c, whole);
    const auto prepared = prepare(Reference(reference));
    const ChannelDependencies before(whole, reference.tables, *reference.lanes);
    const Fabric now = degrade(whole, {.links = 2, .seed = 7}).value();
    const auto repaired = prepared->patch(now, {});
    ASSERT_TRUE(repaired) << c.name();
    const ChannelDependencies after(now, repaired->tables.whole(), *repaired->lanes);
    ASSERT_LE(after.num_vls(), before.num_vls()) << c.name();
    std::vector<OrderedGraph::Vertex> order(before.num_virtual_channels());
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<OrderedGraph::Vertex>(v);
    OrderedGraph both(order);
    for (const ChannelDependencies* graph : {&before, &after})
      for (std::size_t v = 0; v < graph->num_virtual_channels(); ++v) {
        const auto from = id_at<VirtualChannelId>(v);
        const auto in_both = [&](VirtualChannelId of) {
          return static_cast<OrderedGraph::Vertex>(index(graph->channel(of)) * before.num_vls() + graph->vl(of));
        };
        graph->for_each_next(
            from, [&](VirtualChannelId next) { EXPECT_TRUE(both.add(in_both(from), in_both(next))) << c.name(); });
      }
  }
}

// From switches with hosts to LIDs of hosts.
std::uint64_t count_broken(const Reference& reference, const Fabric& now) {
  std::uint64_t count = 0;
  const auto hosts = count_hosts(now);
  for (const EndportId e : now.endports())
    for (const Lid lid : lids_of(now.at(e)))
      for (const SwitchId s : now.switches())
        count += now.at(e).leaf != kNoSwitch && hosts[s] > 0 && !is_intact(reference, now, s, lid) ? 1 : 0;
  return count;
}

TEST(RepairOnLanes, tells_how_many_routes_and_levels_have_changed) {
  std::size_t exact = 0, all = 0;
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Fabric now = degrade(whole, {.links = 1, .seed = seed}).value();
      const auto repaired = reference->patch(now, {});
      ASSERT_TRUE(repaired) << c.name();
      if (repaired->reach != RepairReach::kLocal) continue;
      const std::uint64_t broken = count_broken(reference->reference(), now);
      EXPECT_GE(repaired->repaired_routes, broken) << c.name();  // a column may have to be made anew
      exact += repaired->repaired_routes == broken ? 1 : 0;
      ++all;
      std::uint64_t levels = 0;
      for (const SwitchId s : now.switches())
        for (std::size_t i = 1; i <= index(now.top_lid()); ++i)
          if (const SwitchId t = now.destination_switch(id_at<Lid>(i)); t != kNoSwitch && t != s)
            levels += repaired->lanes->sl(now.at(s).lid, id_at<Lid>(i)) !=
                              reference->reference().lanes->sl(now.at(s).lid, id_at<Lid>(i))
                          ? 1
                          : 0;
      const std::string told = repaired->warnings.empty() ? "0" : repaired->warnings.front();
      EXPECT_EQ(std::stoull(told), levels) << c.name() << ", seed " << seed;
    }
  }
  EXPECT_GT(exact * 10, all * 9);
}

TEST(RepairOnLanes, takes_other_lids_and_hosts_elsewhere_as_new) {
  for (const Case& c : cases()) {
    if (c.lmc != 0) continue;
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    const Fabric with_others = test::with_lmc(whole, 1);
    for (const Fabric& now : {with_others, with_swapped_hosts(whole)}) {
      const auto repaired = reference->patch(now, {});
      ASSERT_TRUE(repaired) << c.name() << ": " << repaired.error().text();
      EXPECT_EQ(complaint(now, *repaired), "") << c.name();
      EXPECT_TRUE(repaired->has_new_equipment) << c.name();
    }
  }
}

TEST(RepairOnLanes, serves_fabrics_that_are_no_trees_on_one_lane_too) {
  for (const char* spec : {"24,4,2", "16,5,2"}) {
    const Fabric whole = test::generated("jellyfish", spec, 0, 1002);
    Reference one = reference_on_lanes(whole, "layers", 1);
    one.lanes.reset();
    const auto reference = prepare(std::move(one));
    EXPECT_FALSE(reference->extended(whole)) << spec;
    break_each_once(whole, [&](const Fabric& now, const std::string& what) {
      const auto repaired = reference->patch(now, {});
      ASSERT_TRUE(repaired) << what << ": " << repaired.error().text();
      EXPECT_FALSE(repaired->lanes);
      EXPECT_EQ(complaint(now, *repaired), "") << what;
    });
  }
  const Fabric tree = test::generated("pgft", "2;4,4;1,3;1,1");
  Reference on_levels = reference_on_lanes(tree, "dmodc", 1);
  on_levels.lanes.reset();
  EXPECT_TRUE(prepare(std::move(on_levels))->extended(tree));
}

TEST(RepairOnLanes, is_local_where_many_links_are_gone) {
  const Fabric whole = test::generated("dragonfly", "4,8,4,33");
  const auto reference = prepare(reference_on_lanes(whole, "dragonfly", 2));
  const Fabric now = degrade(whole, {.links = 20, .seed = 1004}).value();
  const auto repaired = reference->patch(now, {});
  ASSERT_TRUE(repaired) << repaired.error().text();
  EXPECT_EQ(repaired->reach, RepairReach::kLocal);
  EXPECT_EQ(complaint(now, *repaired), "");
}

TEST(RepairOnLanes, gives_way_to_what_takes_little_time_where_too_much_is_lost) {
  const Fabric whole = test::generated("dragonfly", "4,8,4,33", 2);
  const auto reference = prepare(reference_on_lanes(whole, "dragonfly-rlm", 4));
  const Fabric now = degrade(whole, {.links = 150, .seed = 15301}).value();
  const auto repaired = reference->patch(now, {});
  ASSERT_TRUE(repaired) << repaired.error().text();
  EXPECT_EQ(repaired->reach, RepairReach::kAll);
  EXPECT_TRUE(repaired->is_makeshift);
  EXPECT_EQ(repaired->tables.whole(), make_engine(kQuickEngine)->route(rank(now).value())->tables);
  EXPECT_TRUE(reference->verify_change(now, *repaired).ok());
}

// Where the reference's levels do not tell those of a new host; a subnet manager waits for what takes their place.
TEST(RepairOnLanes, reroutes_a_large_fabric_by_what_takes_little_time) {
  const Fabric whole = test::generated("dragonfly", "4,8,4,33");
  ASSERT_TRUE(is_large(whole, 2));
  const Fabric before = without_endport(whole, EndportId{0});
  Reference reference = reference_on_lanes(before, "dragonfly", 2);
  ServiceLevels levels(before.top_lid(), 2, 1);
  levels.set_source_class(before.at(EndportId{1}).lid, 1);
  reference.lanes = Lanes(std::move(levels), reference.lanes->maps());
  const auto repaired = prepare(std::move(reference))->patch(whole, {});
  ASSERT_TRUE(repaired) << repaired.error().text();
  ASSERT_EQ(repaired->reach, RepairReach::kAll);
  EXPECT_EQ(complaint(whole, *repaired), "");
  const FatTree tree = rank(whole).value();
  EXPECT_EQ(repaired->tables.whole(), make_engine(kQuickEngine)->route(tree)->tables);
}

TEST(RepairOnLanes, refuses_a_reference_that_is_not_sound) {
  const Fabric ring = test::generated("torus", "6,1");
  Reference broken = reference_on_lanes(ring, "layers", 2);
  broken.tables.set(SwitchId{0}, ring.at(SwitchId{3}).lid, kNoPort);
  const auto repaired = prepare(std::move(broken))->patch(ring, {});
  ASSERT_FALSE(repaired);
  EXPECT_EQ(repaired.error().message, "the reference is not sound on its lanes");
}

TEST(RepairOnLanes, finds_paths_for_what_the_reference_does_not_know) {
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    break_each_once(whole, [&](const Fabric& before, const std::string& what) {
      const Result<FatTree> tree = rank(before);
      if (!tree) return;
      const auto reference = prepare(reference_on_lanes(before, "layers", c.vls));
      const auto repaired = reference->patch(whole, {});
      if (!repaired) {
        ADD_FAILURE() << c.name() << ", new: " << what << ": " << repaired.error().text();
        return;
      }
      EXPECT_EQ(complaint(whole, *repaired), "") << c.name() << ", new: " << what;
      EXPECT_TRUE(repaired->has_new_equipment) << c.name() << ", new: " << what;
    });
  }
}

// On the port of a lost cable, which has a class of its own in the SL2VL tables of dragonflies.
Fabric with_host_at_cable(const Fabric& whole, EndportId e, SwitchId s, PortNum port) {
  const Endport host = whole.at(e);
  FabricBuilder builder(without(whole, {.switches = {}, .endports = {e}, .links = {whole.channel(s, port)}}));
  builder.connect(id_at<FabricBuilder::SwitchHandle>(index(s)), port, builder.add_endport(host));
  return std::move(builder).build().value();
}

TEST(RepairOnLanes, is_sound_when_a_host_hangs_where_a_cable_was) {
  for (const Case& c : cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_of(c, whole));
    for (const SwitchId s : whole.switches())
      for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p) {
        const PortNum port = id_at<PortNum>(p);
        if (!whole.peer(s, port).is_switch()) continue;
        const EndportId e = id_at<EndportId>((index(s) * 7 + p) % whole.num_endports());
        const Fabric now = with_host_at_cable(whole, e, s, port);
        const auto repaired = reference->patch(now, {});
        ASSERT_TRUE(repaired) << c.name() << ", " << whole.label(s) << " port " << p << ": " << repaired.error().text();
        EXPECT_EQ(complaint(now, *repaired), "") << c.name() << ", " << whole.label(s) << " port " << p;
      }
  }
}

TEST(RepairOnLanes, joins_the_parts_of_a_fabric) {
  const Fabric ring = test::generated("torus", "8,2", 0, 1);
  // Ports 3 and 4 lead to neighbors.
  const Fabric parts =
      without(ring, {.switches = {},
                     .endports = {},
                     .links = {ring.channel(SwitchId{0}, PortNum{3}), ring.channel(SwitchId{4}, PortNum{3})}});
  for (const unsigned vls : {1U, 2U}) {
    const auto reference = prepare(reference_on_lanes(parts, "layers", vls));
    for (const Fabric* now : {&parts, &ring}) {
      const auto repaired = reference->patch(*now, {});
      ASSERT_TRUE(repaired) << vls << ": " << repaired.error().text();
      EXPECT_EQ(complaint(*now, *repaired), "") << vls;
    }
    const auto whole = prepare(reference_on_lanes(ring, "layers", vls));
    const auto repaired = whole->patch(parts, {});
    ASSERT_TRUE(repaired) << vls << ": " << repaired.error().text();
    EXPECT_EQ(complaint(parts, *repaired), "") << vls;
  }
}

// Where all lanes are full, the paths to single LIDs are all given up before everything is.
TEST(RepairOnLanes, is_local_on_one_lane_of_a_torus) {
  const Fabric whole = test::generated("torus", "5,5,2", 0, 1);
  const auto reference = prepare(reference_on_lanes(whole, "layers", 1));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Fabric now = degrade(whole, {.links = 4, .seed = seed}).value();
    const auto repaired = reference->patch(now, {});
    ASSERT_TRUE(repaired) << seed << ": " << repaired.error().text();
    EXPECT_EQ(complaint(now, *repaired), "") << seed;
    EXPECT_EQ(repaired->reach, RepairReach::kLocal) << seed;
  }
}

}  // namespace
}  // namespace espalier
