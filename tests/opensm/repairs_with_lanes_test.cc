// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repairs of tables with virtual lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/io/lanes/lanes_file.h"
#include "core/tree/rank.h"
#include "plugin/repair/rebalance.h"
#include "plugin/repair/repairs.h"
#include "plugin/repair/state_file.h"
#include "plugin/repair/table_quality.h"
#include "tests/opensm/outside.h"
#include "tests/opensm/waits_for.h"
#include "tests/support/fabrics.h"
#include "tests/support/own_directory.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::Outside;
using test::waits_for;
using ::testing::HasSubstr;

// No tree: shortest paths need several lanes.
Fabric random_graph() { return test::generated("jellyfish", "24,5,3"); }
Fabric broken_graph() { return degrade(random_graph(), {.links = 2, .seed = 1001}).value(); }

RoutingTask task_of(Fabric fabric, const PluginConfig& config, unsigned max_vls = 4) {
  auto owned = std::make_shared<const Fabric>(std::move(fabric));
  auto tree = std::make_shared<const FatTree>(rank(*owned).value());
  EngineOptions options;
  options.max_vls = max_vls;
  return make_task(config, "layers", {}, owned, tree, options);
}

std::string text(const RoutingTask& task, const std::optional<Lanes>& lanes) {
  return lanes ? write_lanes(*task.fabric, *lanes) : "none";
}

Routing routed(const RoutingTask& task) { return make_engine(task.engine, task.options)->route(*task.tree).value(); }

PluginConfig patient() {
  PluginConfig config;
  config.rebalance_quiet_seconds = 100'000;
  return config;
}

// A run as the plugin makes it; what is in use then.
Routing run(Repairs& repairs, const PluginConfig& config, const RoutingTask& task, bool* was_repaired = nullptr) {
  const std::shared_ptr<const RepairableReference> reference = repairs.reference(config, task);
  if (was_repaired != nullptr) *was_repaired = reference != nullptr;
  if (!reference) {
    Routing routing = routed(task);
    repairs.in_use(config, task, Repairs::Made::kWhole, std::make_shared<const Routing>(routing));
    return routing;
  }
  PatchedRepair repaired = reference->patch(*task.fabric, {}).value();
  const VerifyReport proof = reference->verify_change(*task.fabric, repaired);
  EXPECT_EQ(test::complaint(proof), "");
  EXPECT_EQ(proof.dependencies != nullptr, repaired.lanes.has_value()) << "for trees of multicast";
  repairs.in_use(config, task, RepairFacts{repaired.entries > 0 ? 0.5 : 0, repaired.has_new_equipment});
  return {.tables = repaired.tables.whole(), .warnings = {}, .lanes = std::move(repaired.lanes)};
}

// With the tables of the first run as the reference.
void begin(Repairs& repairs, const PluginConfig& config, const RoutingTask& task) {
  bool was_repaired = true;
  const Routing first = run(repairs, config, task, &was_repaired);
  EXPECT_FALSE(was_repaired);
  ASSERT_TRUE(first.lanes);
  ASSERT_TRUE(waits_for([&] { return repairs.reference_age().has_value(); }));
}

TEST(RepairsWithLanes, KeepWhatTheFirstRunHasMade) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(random_graph(), patient());
  begin(repairs, patient(), task);
  const auto reference = repairs.reference(patient(), task);
  ASSERT_TRUE(reference);
  const Routing made = routed(task);
  EXPECT_EQ(reference->reference().tables, made.tables);
  ASSERT_TRUE(reference->reference().lanes);
  EXPECT_EQ(text(task, reference->reference().lanes), text(task, made.lanes));
  EXPECT_EQ(outside.errors(), "");
}

// What a link that has come with fewer lanes, or opensm.conf, leaves.
TEST(RepairsWithLanes, AreNoneWhereLinksHaveFewerLanes) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(random_graph(), patient());
  begin(repairs, patient(), task);
  const unsigned needed = repairs.reference(patient(), task)->reference().lanes->num_vls();
  ASSERT_GT(needed, 1U);
  EXPECT_TRUE(repairs.reference(patient(), task_of(random_graph(), patient(), needed)));
  const RoutingTask fewer = task_of(random_graph(), patient(), needed - 1);
  EXPECT_FALSE(repairs.reference(patient(), fewer));
  EXPECT_TRUE(repairs.reference(patient(), task)) << "an engine that declines fewer lanes leaves it as it is";
  run(repairs, patient(), fewer);
  ASSERT_TRUE(waits_for([&] { return repairs.reference(patient(), fewer) != nullptr; }));
  const auto& lanes = repairs.reference(patient(), fewer)->reference().lanes;
  EXPECT_LT(lanes ? lanes->num_vls() : 1, needed);
}

TEST(RepairsWithLanes, BringTablesAndLanesBackWithTheEquipment) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask whole = task_of(random_graph(), patient());
  begin(repairs, patient(), whole);
  const Routing first = run(repairs, patient(), whole);
  bool was_repaired = false;
  const Routing broken = run(repairs, patient(), task_of(broken_graph(), patient()), &was_repaired);
  EXPECT_TRUE(was_repaired);
  EXPECT_NE(broken.tables, first.tables);
  const Routing again = run(repairs, patient(), whole);
  EXPECT_EQ(again.tables, first.tables);
  EXPECT_EQ(text(whole, again.lanes), text(whole, first.lanes));
}

TEST(RepairsWithLanes, GiveWayToNewOnesWhenToldTo) {
  Outside outside;
  Repairs repairs(outside.outlets());
  begin(repairs, patient(), task_of(random_graph(), patient()));
  PluginConfig now = patient();
  now.rebalance = Rebalance::kNow;
  const RoutingTask broken = task_of(broken_graph(), now);
  repairs.in_use(now, broken, RepairFacts{.moved = 0.5});
  ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.infos() << outside.errors();
  const auto reference = repairs.reference(now, broken);
  ASSERT_TRUE(reference);
  EXPECT_EQ(reference->reference().tables, routed(broken).tables);
  EXPECT_EQ(text(broken, reference->reference().lanes), text(broken, routed(broken).lanes));
  EXPECT_EQ(run(repairs, now, broken).tables, routed(broken).tables);
}

// What `flows` is for; under shifts and random permutations these tables are no better.
TEST(RepairsWithLanes, GiveWayToTablesThatAreBetterForKnownFlows) {
  const RoutingTask task = task_of(random_graph(), {});
  RoutingTask told = task;
  told.engine = "flows";
  const EndportId first{0};
  for (std::uint32_t e = 1; e < 72; e += 3) told.options.known_flows.push_back({first, id_at<EndportId>(e), 1000});
  const auto known = prepare(make_reference("flows", *task.tree, routed(task).tables, {}, routed(task).lanes));
  const double before = known_flow_load(*task.fabric, TableRows(known->reference().tables), told.options.known_flows);
  const Result<Rebalanced> found = rebalance(told, known.get(), 0.02, {});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_LT(known_flow_load(*task.fabric, TableRows(found->tables), told.options.known_flows), before * 0.8);
  EXPECT_TRUE(found->is_worth_it) << found->verdict;
  EXPECT_THAT(found->verdict, HasSubstr("known flows"));
}

// More lanes may be good for better tables; until these are there, the old ones are repaired.
TEST(RepairsWithLanes, AreSearchedForAnewWhereLinksHaveMoreLanes) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(random_graph(), patient());
  begin(repairs, patient(), task);
  const RoutingTask more = task_of(random_graph(), patient(), 8);
  ASSERT_TRUE(repairs.reference(patient(), more));
  repairs.in_use(patient(), more, RepairFacts{});
  EXPECT_TRUE(outside.is_asked_for_sweeps(1)) << outside.infos() << outside.errors();
}

using RepairsWithLanesState = test::OwnDirectory;

TEST_F(RepairsWithLanesState, OutlivesOpenSmUnlessLinksHaveFewerLanes) {
  PluginConfig config = patient();
  config.state_directory = path_;
  const RoutingTask task = task_of(random_graph(), config);
  {
    Outside outside;
    Repairs repairs(outside.outlets());
    begin(repairs, config, task);
    ASSERT_TRUE(waits_for([&] { return state_version(config.state_directory) != 0; })) << outside.errors();
  }
  const Routing made = routed(task);
  Outside outside;
  Repairs repairs(outside.outlets());
  const auto reference = repairs.reference(config, task);
  ASSERT_TRUE(reference) << outside.errors();
  EXPECT_EQ(reference->reference().tables, made.tables);
  ASSERT_TRUE(reference->reference().lanes);
  EXPECT_EQ(text(task, reference->reference().lanes), text(task, made.lanes));

  Outside narrow;
  Repairs others(narrow.outlets());
  EXPECT_FALSE(others.reference(config, task_of(random_graph(), config, made.lanes->num_vls() - 1)));
  EXPECT_THAT(narrow.errors(), HasSubstr("its tables need "));
}

TEST(WhyForeign, NamesTheLanesThatAreMissing) {
  const RoutingTask task = task_of(random_graph(), {});
  Routing made = routed(task);
  const unsigned needed = made.lanes->num_vls();
  const Reference reference =
      make_reference(task.origin.text(), *task.tree, std::move(made.tables), {}, std::move(made.lanes));
  EXPECT_EQ(why_foreign(reference, *task.fabric, task.origin.engine, needed), "");
  EXPECT_THAT(why_foreign(reference, *task.fabric, task.origin.engine, needed - 1),
              HasSubstr("virtual lanes, but links have " + std::to_string(needed - 1)));
}

}  // namespace
}  // namespace espalier
