// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Verification of a change of tables with lanes finds sound what verification from scratch finds sound, and nothing else.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/soundness/changes/sound_lanes.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/fabric/faults.h"
#include "core/repair/lanes/prepared_lanes.h"
#include "core/repair/repairable_reference.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

struct Kind {
  std::string kind, spec, engine;
  unsigned vls;
  std::uint8_t lmc = 0;

  [[nodiscard]] Fabric fabric() const { return test::generated(kind, spec, lmc, 1001); }
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"jellyfish", "24,4,2", "layers", 4},    {"jellyfish", "16,5,2", "layers", 3, 1},
      {"jellyfish", "24,4,2", "layers", 1},    {"torus", "4,4,1", "layers", 4},
      {"dragonfly", "2,4,2,9", "layers", 4},   {"dragonfly", "2,4,2,9", "dragonfly-rlm", 4},
      {"dragonfly", "2,4,2,9", "dragonfly", 4}};
  return all;
}

// Sound tables with lanes, and what is known of changes of them.
struct Base {
  explicit Base(Reference reference)
      : prepared(std::move(reference)),
        sound(prepared.fabric(), prepared.reference().tables, prepared.lanes(), prepared.graph(),
              prepared.dependencies()) {}
  PreparedLanes prepared;
  SoundLanes sound;
};

void expect_contains(const ChannelDependencies& all, const ChannelDependencies& part) {
  ASSERT_EQ(all.num_vls(), part.num_vls());
  std::vector<std::uint8_t> there(all.num_virtual_channels());
  for (const VirtualChannelId v : IdRange<VirtualChannelId>(all.num_virtual_channels())) {
    std::fill(there.begin(), there.end(), 0);
    all.for_each_next(v, [&](VirtualChannelId next) { there[index(next)] = 1; });
    part.for_each_next(v, [&](VirtualChannelId next) { ASSERT_EQ(there[index(next)], 1); });
  }
}

struct Counts {
  std::size_t sound = 0, quick = 0, unsound = 0;
};

void expect_agrees(const Base& base, const Fabric& now, const ForwardingTables& tables, const Lanes& lanes,
                   Counts& counts) {
  const VerifyReport whole = verify(now, tables, lanes);
  ++(whole.ok() ? counts.sound : counts.unsound);
  const std::optional<VerifyReport> quick = base.sound.verify_change(now, TableRows(tables), lanes);
  if (!quick) return;
  ++counts.quick;
  ASSERT_TRUE(quick->ok());
  ASSERT_EQ(test::complaint(whole), "");
  EXPECT_EQ(quick->num_entries, whole.num_entries);
  EXPECT_GE(quick->num_dependencies, whole.num_dependencies);
  EXPECT_FALSE(has_credit_loop(*quick->dependencies));
  expect_contains(*quick->dependencies, *whole.dependencies);
}

// One thing changed at random: an entry, a level, a lane, or the class of a port.
void change(const Fabric& now, std::mt19937_64& random, ForwardingTables& tables, Lanes& lanes) {
  const SwitchId s = id_at<SwitchId>(random() % now.num_switches());
  ServiceLevels levels = lanes.levels();
  LaneMaps maps = lanes.maps();
  const std::size_t map = maps.map_of(s), classes = maps.num_classes(map);
  switch (random() % 8) {
    case 0:
      maps.entry(map, random() % classes, random() % classes)[random() % 4] =
          random() % 2 == 0 ? kDiscardVl : static_cast<std::uint8_t>(random() % lanes.num_vls());
      break;
    case 1:
      maps.set_port_class(s, id_at<PortNum>(random() % (now.at(s).num_ports + 1U)),
                          static_cast<std::uint8_t>(random() % classes));
      break;
    case 2:
    case 3:
    case 4:
      levels.set(static_cast<std::uint32_t>(random() % levels.num_sources()),
                 static_cast<std::uint32_t>(random() % levels.num_destinations()),
                 static_cast<std::uint8_t>(random() % lanes.num_sls()));
      break;
    default:
      tables.set(s, id_at<Lid>(1 + random() % (tables.width() - 1)), id_at<PortNum>(random() % 8));
  }
  lanes = Lanes(std::move(levels), std::move(maps));
}

// Of odd seeds a switch is gone as well.
Fabric damaged(const Fabric& whole, std::uint64_t seed) {
  const SwitchId lost = id_at<SwitchId>(seed * 5 % whole.num_switches());
  return degrade(seed % 2 == 1 ? without_switch(whole, lost) : whole,
                 {.links = seed % 5, .endports = seed % 4, .seed = seed})
      .value();
}

TEST(VerifyLanesChange, agrees_after_each_single_fault) {
  for (const Kind& kind : kinds()) {
    const Fabric whole = kind.fabric();
    const Base base(test::reference_on_lanes(whole, kind.engine, kind.vls));
    const auto reference = prepare(Reference(base.prepared.reference()));
    Counts counts;
    const auto check = [&](const Fabric& now) {
      const PatchedRepair repaired = reference->patch(now, {}).value();
      expect_agrees(base, now, repaired.tables.whole(), *repaired.lanes, counts);
    };
    for (const SwitchId s : whole.switches()) {
      check(without_switch(whole, s));
      for (const PortNum p : whole.ports(s))
        if (whole.peer(s, p).kind != Peer::Kind::kNone) check(without_link(whole, s, p));
    }
    EXPECT_EQ(counts.unsound, 0U);
    EXPECT_GT(counts.quick, counts.sound * 3 / 4) << kind.kind << ' ' << kind.engine << ' ' << kind.vls;
  }
}

TEST(VerifyLanesChange, agrees_after_many_faults_and_wrong_changes) {
  Counts counts;
  for (const Kind& kind : kinds()) {
    const Fabric whole = kind.fabric();
    const Base base(test::reference_on_lanes(whole, kind.engine, kind.vls));
    const auto reference = prepare(Reference(base.prepared.reference()));
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(testing::Message() << kind.kind << ' ' << kind.engine << ' ' << kind.vls << " seed " << seed);
      const Fabric now = damaged(whole, seed);
      PatchedRepair repaired = reference->patch(now, {}).value();
      std::mt19937_64 random(seed);
      ForwardingTables tables = repaired.tables.whole();
      Lanes lanes = *repaired.lanes;
      for (std::size_t n = 0; n < 12; ++n) {
        expect_agrees(base, now, tables, lanes, counts);
        if (HasFatalFailure()) return;
        if (n % 4 == 0) tables = repaired.tables.whole(), lanes = *repaired.lanes;
        change(now, random, tables, lanes);
      }
    }
  }
  EXPECT_GT(counts.quick, counts.sound / 2);
  EXPECT_GT(counts.unsound, 300U);
}

// The other direction: equipment, and LIDs, that the tables of before did not know.
TEST(VerifyLanesChange, agrees_where_equipment_is_new_or_elsewhere) {
  Counts counts;
  for (const Kind& kind : kinds()) {
    const Fabric whole = kind.fabric();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(testing::Message() << kind.kind << ' ' << kind.engine << ' ' << kind.vls << " seed " << seed);
      const Fabric before = damaged(whole, seed);
      const Base base(test::reference_on_lanes(before, "layers", kind.vls));
      const auto reference = prepare(Reference(base.prepared.reference()));
      const auto repaired = reference->patch(whole, {});
      if (repaired) expect_agrees(base, whole, repaired->tables.whole(), *repaired->lanes, counts);
      // Routed anew, and in the tables of another fabric.
      const Reference other = test::reference_on_lanes(whole, "layers", kind.vls);
      expect_agrees(base, whole, other.tables, *other.lanes, counts);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(counts.quick, 20U);
}

TEST(VerifyLanesChange, refuses_a_level_that_closes_a_cycle) {
  const Fabric whole = test::generated("torus", "6,6,1", 0, 1001);
  const Base base(test::reference_on_lanes(whole, "layers", 4));
  const Lanes& lanes = base.prepared.lanes();
  const ForwardingTables& tables = base.prepared.reference().tables;
  ASSERT_TRUE(base.sound.verify_change(whole, TableRows(tables), lanes));
  // All on the levels of one: as if there were no lanes but for one path.
  ServiceLevels levels = levels_by_switch(whole);
  const std::uint8_t top = static_cast<std::uint8_t>(lanes.num_sls() - 1);
  levels.set(0, levels.destination_class(whole.top_lid()), top);
  const Lanes flat(std::move(levels), lanes.maps());
  ASSERT_FALSE(verify(whole, tables, flat).ok());
  EXPECT_FALSE(base.sound.verify_change(whole, TableRows(tables), flat));
}

TEST(VerifyLanesChange, refuses_packets_that_are_thrown_away) {
  const Fabric whole = test::generated("torus", "4,4,1", 0, 1001);
  const Base base(test::reference_on_lanes(whole, "layers", 4));
  const ForwardingTables& tables = base.prepared.reference().tables;
  LaneMaps maps = base.prepared.lanes().maps();
  maps.entry(0, 0, 0)[0] = kDiscardVl;
  const Lanes thrown(base.prepared.lanes().levels(), std::move(maps));
  ASSERT_EQ(verify(whole, tables, thrown).violations.front().kind, Violation::Kind::kDiscarded);
  EXPECT_FALSE(base.sound.verify_change(whole, TableRows(tables), thrown));
}

TEST(VerifyLanesChange, says_what_is_wrong_in_the_words_of_verify) {
  const Fabric whole = test::generated("jellyfish", "24,4,2", 0, 1001);
  const auto reference = prepare(test::reference_on_lanes(whole, "layers", 4));
  PatchedRepair repaired = reference->patch(whole, {}).value();
  repaired.tables.set(SwitchId{3}, whole.top_lid(), id_at<PortNum>(200));
  const VerifyReport report = reference->verify_change(whole, repaired);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.violations.front().text, test::complaint(verify(whole, repaired.tables.whole(), repaired.lanes)));
}

}  // namespace
}  // namespace espalier
