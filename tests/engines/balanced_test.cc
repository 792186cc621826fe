// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Balanced: by hand on small damaged trees, against the closed form on many, and the counters against a plain count.
#include "core/engines/balanced/balanced.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/engines.h"
#include "core/engines/ftree/ftree2.h"
#include "core/engines/modulo/pqft.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/directors.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/next_hops.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::damaged;
using test::Steps;

constexpr std::uint32_t kPlenty = 10'000;  // milliseconds, never used up here

double worst_shift(const Steps& steps, const ForwardingTables& tables) {
  return shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts)).max();
}

ForwardingTables balanced_on(const Steps& steps, std::uint32_t milliseconds = kPlenty) {
  return balanced(steps.problem, {.milliseconds = milliseconds});
}

TEST(Balanced, LeavesAWholeTreeAsItIs) {
  for (const char* spec : {"2;4,6;1,4;1,1", "3;3,2,4;1,3,2;1,1,1", "3;4,3,5;1,4,2;1,1,1", "2;4,6;1,2;1,2"}) {
    const Steps steps(damaged(spec, 0, 0));
    EXPECT_EQ(balanced_on(steps), steps.tables) << spec;
  }
}

TEST(Balanced, WithoutTimeIsTheClosedForm) {
  const Steps steps(damaged("3;4,4,6;1,4,3;1,1,1", 20, 1));
  EXPECT_EQ(balanced_on(steps, 0), steps.tables);
}

// With little time a search counts few shifts. Here it had brought the mean over all of them from 3.09 to 3.11.
TEST(Balanced, LeavesFewWrongLinksAsTheyAreWhereASearchUnderSomeShiftsDisturbsOthers) {
  const Steps steps(*change(damaged("3;12,12,12;1,12,6;1,1,1", 0, 0),
                            {.guids = SiteChanges::Guids::kShuffled, .swapped_uplinks = 5, .seed = 4}));
  const auto mean_shift = [&](std::uint32_t milliseconds) {
    return shift_risk(HostRoutes(steps.fabric, balanced_on(steps, milliseconds), steps.order.hosts)).mean();
  };
  EXPECT_LE(mean_shift(300), mean_shift(0));
}

// Half of the budget is not enough to count all shifts. With a search in its place four flows met.
TEST(Balanced, RepairsAllShiftsWhereThereIsTimeForNothingElse) {
  const Steps steps(damaged("3;12,12,24;1,12,12;1,1,1", 55, 7101));
  EXPECT_GE(worst_shift(steps, balanced_on(steps, 0)), 4);
  EXPECT_EQ(worst_shift(steps, balanced_on(steps, 400)), 2);
}

// By hand. Two pods of one leaf each; six hosts leave theirs through M0 with one link up and M1 with three. Under the
// shift by six all of them do, over four channels: two on one of them is the least. The closed form sends every second
// host to M0, whose link gets three.
TEST(Balanced, SendsLessToASwitchThatCanCarryLess) {
  const Steps steps(
      test::draw("L0:6 K0:6 M0 M1 N0 N1 T0 T1 T2 T3 ; L0-M0 L0-M0 L0-M0 L0-M1 L0-M1 L0-M1 L0-M1 ;"
                 "K0-N0 K0-N0 K0-N0 K0-N1 K0-N1 K0-N1 K0-N1 ; M0-T0 M1-T1 M1-T2 M1-T3 ; N0-T0 N1-T1 N1-T2 N1-T3"));
  ASSERT_EQ(worst_shift(steps, steps.tables), 3);
  EXPECT_EQ(worst_shift(steps, balanced_on(steps)), 2);
}

TEST(Balanced, IsNeverWorseThanTheClosedFormUnderAnyShift) {
  std::size_t better = 0;
  for (const char* spec : {"2;4,6;1,4;1,1", "3;3,3,4;1,3,2;1,1,1", "3;4,3,5;1,4,2;1,1,1", "3;2,2,3;1,2,2;1,2,2"})
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const Steps steps(damaged(spec, 1 + seed % 7, seed));
      const double before = worst_shift(steps, steps.tables);
      const double after = worst_shift(steps, balanced_on(steps));
      EXPECT_LE(after, before) << spec << ", seed " << seed;
      better += after < before ? 1 : 0;
    }
  EXPECT_GT(better, 25U) << "of 100";
}

TEST(Balanced, IsSoundWithAllOffsetsOnDamagedTrees) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Fabric fabric = damaged("3;4,4,6;1,4,3;1,1,1", 1 + 9 * seed, seed, static_cast<std::uint8_t>(seed % 3));
    EngineOptions options;
    options.balance_ms = kPlenty;
    const auto routing = make_engine("balanced", options)->route(*rank(fabric));
    ASSERT_TRUE(routing.has_value()) << "seed " << seed;
    EXPECT_TRUE(verify(fabric, routing->tables).ok()) << "seed " << seed;
  }
}

// The offsets of a host's LIDs leave a leaf by different channels, also where offset 0 was moved.
TEST(Balanced, SpreadsTheOffsetsOfMovedHosts) {
  const Steps plain(damaged("3;4,4,6;1,4,3;1,1,1", 30, 3, 1));
  const ForwardingTables tables = balanced_on(plain);
  std::size_t moved = 0;
  for (const SwitchId s : plain.fabric.switches())
    for (const EndportId e : plain.order.hosts) {
      const Endport& host = plain.fabric.at(e);
      const bool is_leaf = plain.tree.down_groups(s).empty();
      if (!is_leaf || host.leaf == s || tables.at(s, host.lid) == plain.tables.at(s, host.lid)) continue;
      if (closer_groups(plain.tree, plain.costs, s, host.leaf).size() < 2) continue;
      ++moved;
      EXPECT_NE(tables.at(s, host.lid), tables.at(s, lid_at_offset(host.lid, 1)));
    }
  EXPECT_GT(moved, 0U);
}

TEST(Balanced, GivesTheSameTablesWithAnyNumberOfThreads) {
  const Steps steps(damaged("3;6,4,8;1,6,2;1,1,1", 25, 7));
  const auto with_threads = [&](int threads) {
    tbb::task_arena arena(threads);
    return arena.execute([&] { return balanced_on(steps); });
  };
  const ForwardingTables one = with_threads(1);
  EXPECT_NE(one, steps.tables);
  EXPECT_EQ(one, with_threads(2));
  EXPECT_EQ(one, with_threads(5));
}

TEST(Balanced, GivesTheSameTablesWhateverTheOrderOfDiscovery) {
  const Fabric fabric = damaged("3;6,4,8;1,6,2;1,1,1", 25, 7);
  const ForwardingTables tables = balanced_on(Steps(fabric));
  for (unsigned seed = 0; seed < 3; ++seed) EXPECT_EQ(balanced_on(Steps(test::shuffled(fabric, seed))), tables);
}

// Spines of a director reach a leaf by several line cards. The closed form brings all nine hosts of a leaf down one.
TEST(Balanced, UsesAllWaysDown) {
  const DirectorsSpec spec{.leaves = 18, .hosts = 9, .uplinks = 3, .directors = 1, .radix = 12};
  const Steps steps(test::with_lmc(*generate_directors(spec), 0));
  ASSERT_GE(worst_shift(steps, steps.tables), 9);
  EXPECT_LE(worst_shift(steps, balanced_on(steps)), 5);  // three links for nine hosts: 3 would be best
}

// Leaves and line cards are one pod here: its links up bound nothing, and the closed form is not the best there is.
TEST(Balanced, ImprovesAQuasiFatTreeWhoseLowerLevelsAreOnePod) {
  const Fabric whole = test::generated("qft", "3;6,3,6;1,3,6;1,3,1");
  const Steps steps(*degrade(whole, {.links = 6}));
  EXPECT_LT(worst_shift(steps, balanced_on(steps)), worst_shift(steps, steps.tables));
}

TEST(Balanced, IsAsGoodAsTheClosedFormOfQuasiFatTrees) {
  const Steps steps(test::generated("qft", "3;6,3,6;1,3,6;1,3,1"));
  const double best = worst_shift(steps, pqft(steps.problem));
  ASSERT_LT(best, worst_shift(steps, steps.tables));
  EXPECT_LE(worst_shift(steps, balanced_on(steps)), best);
}

// Draws of damage to a tree of 864 hosts, against the closed form and ftree2.
TEST(Balanced, IsNoWorseThanItsRelatives) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Steps steps(damaged("3;12,6,12;1,12,3;1,1,1", 5 + 60 * seed, seed));
    const auto random = [&](const ForwardingTables& tables) {
      return random_risk(HostRoutes(steps.fabric, tables, steps.order.hosts), 200, 1).median();
    };
    const ForwardingTables own = balanced_on(steps, EngineOptions().balance_ms);
    for (const auto& step : {closed_form, ftree2}) {
      const ForwardingTables other = step(steps.problem);
      EXPECT_LE(worst_shift(steps, own), worst_shift(steps, other)) << "seed " << seed;
      EXPECT_LE(random(own), random(other)) << "seed " << seed;
    }
  }
}

// The budget is a count: a thousandth of the time is not enough for all of the work, and gives other tables.
TEST(Balanced, StopsWhenItsTimeIsUp) {
  const Steps steps(damaged("3;12,12,12;1,12,4;1,1,1", 300, 2));
  const ForwardingTables little = balanced_on(steps, 1);
  const ForwardingTables much = balanced_on(steps, 1'000);
  EXPECT_NE(little, much);
  const auto some_shifts = [&](const ForwardingTables& tables) {
    return shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts), 37).max();
  };
  EXPECT_LT(some_shifts(much), some_shifts(steps.tables));
  EXPECT_LE(some_shifts(much), some_shifts(little));
}

// Maximum and mean are those of the analysis, which walks every route; and what is taken out is out.
TEST(ShiftLoads, CountWhatTheAnalysisCounts) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Steps steps(damaged("3;3,3,4;1,3,2;1,1,1", 5, seed));
    const TreeChannels channels(steps.tree);
    const HostColumns columns(steps.problem, channels, steps.tables);
    const Phases phases(steps.fabric, steps.order, {}, steps.order.hosts.size());
    ShiftLoads loads(steps.problem, channels, phases, 4);
    loads.count_all(columns);
    const auto risk = shift_risk(HostRoutes(steps.fabric, steps.tables, steps.order.hosts));
    const LoadSummary all = loads.summary();
    EXPECT_EQ(all.worst_shift, risk.max());
    // Shift 0 is counted as well, and empty.
    const auto shifts = static_cast<double>(risk.mu.size());
    EXPECT_NEAR(all.mean_shift, risk.mean() * shifts / (shifts + 1), 1e-9);

    SenderRuns runs(phases);
    const auto each = [&](const auto& change) {
      for (std::uint32_t d = 0; d < columns.num_hosts(); ++d) {
        runs.set_host(d);
        change(ShiftLoads::Flows{loads.sources()[phases.source_of(d)].at, runs.all()}, columns.column(d));
      }
    };
    each([&](const auto& flows, auto column) { loads.remove(flows, column); });
    EXPECT_EQ(loads.summary(), LoadSummary{});
    each([&](const auto& flows, auto column) { loads.add(flows, column); });
    EXPECT_EQ(loads.summary(), all);
  }
}

// On a busy machine its work takes longer than OpenSM should stand still; what it has by then depends on the machine.
TEST(Balanced, TakesItsStartWhenTheClockRunsOut) {
  const Fabric fabric = damaged("3;6,6,12;1,6,6;1,1,1", 40, 1003);
  const FatTree tree = *rank(fabric);
  EngineOptions options;
  options.balance_wall_ms = 1;
  const Routing hurried = *make_engine("balanced", options)->route(tree);
  EngineOptions start;
  start.balance_ms = 0;
  EXPECT_EQ(hurried.tables, make_engine("balanced", start)->route(tree)->tables);
  ASSERT_FALSE(hurried.warnings.empty());
  EXPECT_EQ(hurried.warnings.back(),
            "balanced did not finish within balance_wall_ms 1: these are the tables of dmodc, from which it starts");

  options.balance_wall_ms = 600'000;
  const Routing whole = *make_engine("balanced", options)->route(tree);
  EXPECT_EQ(whole.tables, make_engine("balanced", {})->route(tree)->tables);
  EXPECT_NE(whole.tables, hurried.tables);
}

}  // namespace
}  // namespace espalier
