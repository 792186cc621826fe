// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/fors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/modulo/dmodc.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/pgft.h"
#include "core/fabric/table_delta.h"
#include "core/schedule/check_schedule.h"
#include "core/schedule/exchanges/ring_schedule.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

// `hosts` on each of `leaves` leaves below `spines` spines, with `lanes` parallel links.
Fabric tree_of(std::uint32_t leaves, std::uint32_t hosts, std::uint32_t spines, std::uint8_t lmc,
               std::uint32_t lanes = 1) {
  return test::pgft(fmt::format("2;{},{};1,{};1,{}", hosts, leaves, spines, lanes), lmc);
}

Fabric without_links(const Fabric& fabric, std::size_t links, std::uint64_t seed) {
  return degrade(fabric, {.links = links, .seed = seed}).value();
}

Routing route(const Fabric& fabric, const ExchangeOptions& options = {}) {
  return Fors(options).route(rank(fabric).value()).value();
}

std::string faults(const Fabric& fabric, const Routing& routing) {
  if (const VerifyReport proof = verify(fabric, routing.tables); !proof.ok()) return proof.violations.front().text;
  if (!routing.schedule) return "no schedule";
  const ScheduleReport report =
      check_schedule(fabric, routing.tables, *routing.schedule, all_to_all_traffic(routing.schedule->servers.size()));
  for (const std::string& fault : report.first)
    if (!fault.empty()) return fault;
  return {};
}

TEST(Fors, SchedulesWholeAndDamagedTreesInEveryMode) {
  for (std::uint8_t lmc = 0; lmc < 4; ++lmc)
    for (const std::size_t failed : {0U, 1U, 5U, 14U}) {
      SCOPED_TRACE(fmt::format("LMC {}, {} failed", lmc, failed));
      const Fabric fabric = without_links(tree_of(7, 6, 6, lmc), failed, 4);
      const Routing routing = route(fabric);
      EXPECT_EQ(faults(fabric, routing), "");
      EXPECT_EQ(routing.schedule->mode, lmc == 3 ? ScheduleMode::kSpine : ScheduleMode::kBlock);
      EXPECT_GE(routing.schedule->phases, routing.schedule->bound);
      EXPECT_LE(routing.schedule->phases, routing.schedule->bound + (lmc < 2 ? 6 : 0));
    }
}

TEST(Fors, UsesParallelLinksEachForItself) {
  for (std::uint8_t lmc = 1; lmc < 4; ++lmc) {
    const Fabric fabric = tree_of(4, 4, 2, lmc, 2);
    const Routing whole = route(fabric);
    EXPECT_EQ(faults(fabric, whole), "") << lmc;
    EXPECT_EQ(whole.schedule->phases, 16U) << lmc;
    const Fabric hurt = without_links(fabric, 3, 1);
    EXPECT_EQ(faults(hurt, route(hurt)), "") << lmc;
  }
}

TEST(Fors, AsksForTheLmcThatModeSpineNeeds) {
  const Fabric fabric = tree_of(5, 4, 5, 2);
  const auto routing = Fors({WantedMode::kSpine, {}}).route(rank(fabric).value());
  ASSERT_FALSE(routing);
  EXPECT_THAT(routing.error().text(), HasSubstr("needs LMC 3 for the 5 paths"));
  EXPECT_TRUE(Fors({WantedMode::kSpine, {}}).route(rank(test::with_lmc(fabric, 3)).value()));
}

TEST(Fors, LeavesHostsThatTakeNoPartToDmodc) {
  const Fabric fabric = tree_of(4, 4, 4, 2);
  std::vector<Guid> half;
  for (std::size_t e = 0; e < fabric.num_endports(); e += 2) half.push_back(fabric.at(id_at<EndportId>(e)).port_guid);
  const Routing routing = route(fabric, {WantedMode::kAuto, half});
  EXPECT_EQ(faults(fabric, routing), "");
  EXPECT_EQ(routing.schedule->servers.size(), half.size());
  EXPECT_EQ(routing.schedule->phases, half.size());
  const ForwardingTables plain = Dmodc().route(rank(fabric).value()).value().tables;
  for (std::size_t e = 1; e < fabric.num_endports(); e += 2)
    for (const SwitchId s : fabric.switches())
      for (std::size_t k = 0; k < 4; ++k) {
        const Lid lid = lid_at_offset(fabric.at(id_at<EndportId>(e)).lid, k);
        EXPECT_EQ(routing.tables.at(s, lid), plain.at(s, lid));
      }
}

TEST(Fors, NamesAParticipantThatIsNoHost) {
  const Fabric fabric = test::two_level_tree();
  const auto routing = Fors({WantedMode::kAuto, {Guid{0x77}}}).route(rank(fabric).value());
  ASSERT_FALSE(routing);
  EXPECT_THAT(routing.error().text(), HasSubstr("0x0000000000000077"));
}

TEST(Fors, ModeSpineKeepsTheEntriesThatAFailedLinkDoesNotTouch) {
  const Fabric fabric = tree_of(6, 4, 4, 2);
  const Fabric hurt = without_links(fabric, 1, 7);
  const TableDelta delta = difference(route(fabric).tables, route(hurt).tables);
  // The leaf that lost its link moves one offset of the 20 hosts elsewhere, the five other leaves one offset of its 4
  // hosts; the spine reaches the 16 LIDs of the leaf's hosts otherwise; beside these there are LIDs of switches.
  EXPECT_LE(delta.num_entries, 20U + 5U * 4U + 16U + 20U);
}

TEST(Fors, SchedulesDetoursWithoutAddingPhases) {
  // h0.. on four leaves; L0 and L1 have no spine in common.
  for (std::uint8_t lmc = 1; lmc < 3; ++lmc) {
    const Fabric fabric =
        test::draw("L0:4 L1:4 L2:4 L3:4 L0-S0 L0-S1 L1-S2 L1-S3 L2-S0 L2-S1 L2-S2 L2-S3 L3-S0 L3-S1 L3-S2 L3-S3", lmc);
    const Routing routing = route(fabric);
    EXPECT_EQ(faults(fabric, routing), "");
    EXPECT_LE(routing.schedule->phases, routing.schedule->bound + (lmc == 1 ? 8 : 0));
  }
}

TEST(Fors, StaysSoundWithHalfOfAllLinksGone) {
  std::size_t apart = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Fabric fabric = without_links(tree_of(7, 4, 6, seed % 4), 21, seed);
    const FatTree tree = rank(fabric).value();
    const Result<HostTree> host_tree = two_level_tree(tree, all_servers(tree));
    if (!host_tree) continue;  // a leaf without any uplink
    for (std::size_t a = 0; a < 7; ++a)
      for (std::size_t b = 0; b < a; ++b) apart += host_tree->shape.common_spines(a, b) == 0;
    EXPECT_EQ(faults(fabric, route(fabric)), "");
  }
  EXPECT_GT(apart, 10U);
}

TEST(Fors, ServesLeavesThatHaveNoSpineInCommonOverAThird) {
  const Fabric fabric = test::pair_without_up_down_path();
  const Routing routing = route(fabric);
  EXPECT_EQ(faults(fabric, routing), "");
}

TEST(Fors, FallsBackToDmodcsRoutesWhereTheFabricIsNoTwoLevelTree) {
  std::size_t by_paths = 0;
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    if (name == "two_subnets" || name == "loose_ends") continue;  // not every pair can meet there
    SCOPED_TRACE(name);
    const Routing routing = route(fabric);
    EXPECT_EQ(faults(fabric, routing), "");
    if (routing.schedule->mode != ScheduleMode::kPaths) continue;
    ++by_paths;
    EXPECT_EQ(routing.schedule->bound, routing.schedule->servers.size() - 1) << "to each other server in a phase";
    EXPECT_GE(routing.schedule->phases, routing.schedule->bound);
  }
  EXPECT_GT(by_paths, 0U);
}

TEST(Fors, SchedulesThreeLevelsAtTheBound) {
  // Three pods of two leaves, two planes of two tops: one LID bit names the top.
  const auto spec = PgftSpec::parse("3;2,2,3;1,2,2;1,1,1").value();
  const Fabric whole = test::with_lmc(generate_pgft(spec).value(), 1);
  const Routing routing = route(whole);
  EXPECT_EQ(faults(whole, routing), "");
  EXPECT_EQ(routing.schedule->mode, ScheduleMode::kBlock);
  EXPECT_EQ(routing.schedule->phases, 12U);
  const auto refused = Fors({WantedMode::kBlock, {}}).route(rank(test::with_lmc(whole, 0)).value());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("2 top switches in a plane need LMC 1"));
}

TEST(Fors, SchedulesDamagedThreeLevelsWithoutCongestion) {
  const auto spec = PgftSpec::parse("3;4,4,4;1,4,4;1,1,1").value();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Fabric fabric = without_links(test::with_lmc(generate_pgft(spec).value(), 4), 1 + seed, seed);
    const Routing routing = route(fabric);
    EXPECT_EQ(faults(fabric, routing), "");
    // A leaf that loses one of its 4 links has 4 * 60 flows for 3: 80 phases. So has a middle switch that lost a top,
    // where 64 might do.
    EXPECT_LE(routing.schedule->phases, std::max(routing.schedule->bound, 80U) * 21 / 20) << routing.schedule->bound;
  }
}

// With 8 hosts over each link of a pod the construction leaves most flows over; shifts along the routes do not.
TEST(Fors, TakesTheShorterScheduleOverThreeLevels) {
  std::size_t by_paths = 0;
  std::size_t by_lids = 0;
  for (const char* text : {"3;4,4,3;1,4,2;1,1,1", "3;6,3,4;1,3,1;1,1,1", "3;3,3,3;1,3,3;1,1,1", "3;4,2,4;1,4,4;1,1,1"})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", text, seed));
      const Fabric whole = test::pgft(text, 3);
      const Fabric fabric = without_links(whole, seed, 1001 + seed);
      const Result<Routing> built = Fors({WantedMode::kBlock, {}}).route(rank(fabric).value());
      if (!built) continue;  // a middle switch without any top
      const Routing automatic = route(fabric);
      const Routing small_limit = route(fabric, {.most_servers_by_paths = 1});
      EXPECT_EQ(faults(fabric, automatic), "");
      EXPECT_LE(automatic.schedule->phases, built->schedule->phases + built->schedule->bound / 100 + 1);
      EXPECT_EQ(small_limit.schedule->phases, built->schedule->phases) << "no second schedule while OpenSM waits";
      ++(automatic.schedule->mode == ScheduleMode::kPaths ? by_paths : by_lids);
    }
  EXPECT_GT(by_paths, 2U);
  EXPECT_GT(by_lids, 2U);
}

TEST(Fors, GathersRoundARingOnAnyFabric) {
  for (const Fabric& fabric : {without_links(tree_of(7, 6, 6, 1), 14, 4), test::three_level_tree(),
                               test::ring_of_five(), test::single_switch()}) {
    const Routing routing = route(fabric, {.collective = Collective::kAllGather});
    const Schedule& schedule = *routing.schedule;
    EXPECT_EQ(allgather_fault(schedule), "");
    EXPECT_TRUE(check_schedule(fabric, routing.tables, schedule, allgather_traffic(schedule)).ok());
    EXPECT_EQ(schedule.phases, schedule.bound);
  }
}

TEST(Fors, SchedulesGivenTrafficOnAnyFabric) {
  for (const Fabric& fabric :
       {without_links(tree_of(7, 6, 6, 2), 14, 4), test::three_level_tree(), test::pair_without_up_down_path()}) {
    std::vector<Guid> hosts;
    for (const EndportId e : fabric.endports()) hosts.push_back(fabric.at(e).port_guid);
    std::sort(hosts.begin(), hosts.end());
    ExchangeOptions options{.collective = Collective::kTraffic};
    TrafficMatrix traffic(hosts.size() * hosts.size(), 0);
    for (std::size_t s = 0; s < hosts.size(); ++s)
      for (std::size_t d = s % 2; d < hosts.size(); d += 3)
        if (s != d) {
          options.traffic.push_back({hosts[s], hosts[d], static_cast<std::uint32_t>(1 + d % 2)});
          traffic[s * hosts.size() + d] = options.traffic.back().count;
        }
    const Routing routing = route(fabric, options);
    EXPECT_TRUE(verify(fabric, routing.tables).ok());
    EXPECT_TRUE(check_schedule(fabric, routing.tables, *routing.schedule, traffic).ok());
    EXPECT_GE(routing.schedule->phases, routing.schedule->bound);
  }
}

TEST(Fors, IsTheSameEveryTime) {
  const Fabric fabric = without_links(tree_of(7, 6, 6, 2), 10, 2);
  const Routing a = route(fabric);
  const Routing b = route(fabric);
  EXPECT_EQ(a.tables, b.tables);
  EXPECT_EQ(*a.schedule, *b.schedule);
}

}  // namespace
}  // namespace espalier
