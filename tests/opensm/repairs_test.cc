// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/repairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/fabric/faults.h"
#include "core/repair/repairable_reference.h"
#include "tests/opensm/outside.h"
#include "tests/opensm/repair_runs.h"
#include "tests/opensm/waits_for.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::damaged_tree;
using test::Outside;
using test::patient;
using test::routed;
using test::run;
using test::task_of;
using test::waits_for;
using ::testing::HasSubstr;

TEST(Repairs, StartWithTheClosedFormAndAskForASweepWhenTheSearchHasGained) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), patient());
  bool was_repaired = true;
  EXPECT_EQ(run(repairs, patient(), task, &was_repaired), routed(task, 0));
  EXPECT_FALSE(was_repaired);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.errors();
  EXPECT_EQ(run(repairs, patient(), task), routed(task, 50));
  EXPECT_THAT(outside.infos(), HasSubstr("and are the reference now"));
  EXPECT_EQ(outside.errors(), "");
}

// LID offset 0 is as good as it can be from the start.
TEST(Repairs, TakeTablesThatAreBetterForTheOtherLidOffsetsAlone) {
  Outside outside;
  Repairs repairs(outside.outlets());
  PluginConfig config = patient();
  config.balance_ms = 1000;
  const Fabric tree = test::pgft("2;18,12;1,9;1,2", 1);
  const RoutingTask task = task_of(degrade(tree, {.links = 3, .seed = 1001}).value(), config);
  const ForwardingTables start = run(repairs, config, task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.infos() << outside.errors();
  EXPECT_NE(run(repairs, config, task), start);
  EXPECT_THAT(outside.infos(), HasSubstr("over all LIDs"));
}

TEST(Repairs, LeaveMemoryAndProcessorsToOpensmWhileItWritesTables) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), patient());
  repairs.pause();
  run(repairs, patient(), task);
  EXPECT_FALSE(outside.is_asked_for_sweeps(1, std::chrono::milliseconds(500)));
  EXPECT_EQ(repairs.known_reference(task), nullptr);
  repairs.resume();
  EXPECT_TRUE(outside.is_asked_for_sweeps(1)) << outside.errors();
}

TEST(Repairs, BringTheTablesBackWithTheEquipment) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask whole = task_of(damaged_tree(), patient());
  run(repairs, patient(), whole);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  const ForwardingTables first = run(repairs, patient(), whole);
  for (const Damage& damage : {Damage{.links = 7, .seed = 1002}, Damage{.spines = 1, .seed = 1003}}) {
    bool was_repaired = false;
    const RoutingTask broken = task_of(degrade(*whole.fabric, damage).value(), patient());
    EXPECT_NE(run(repairs, patient(), broken, &was_repaired), first);
    EXPECT_TRUE(was_repaired);
    EXPECT_EQ(run(repairs, patient(), whole), first);
  }
}

TEST(Repairs, RebalanceWhenToldToAndBringTheFirstTablesBackInTheEnd) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask whole = task_of(damaged_tree(), patient());
  run(repairs, patient(), whole);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  const ForwardingTables first = run(repairs, patient(), whole);
  PluginConfig now = patient();
  now.rebalance = Rebalance::kNow;
  const RoutingTask broken = task_of(degrade(*whole.fabric, {.links = 7, .seed = 1002}).value(), now);
  run(repairs, now, broken);
  ASSERT_TRUE(outside.is_asked_for_sweeps(2)) << outside.infos();
  EXPECT_EQ(run(repairs, now, broken), routed(broken, 50));
  run(repairs, now, whole);
  ASSERT_TRUE(outside.is_asked_for_sweeps(3)) << outside.infos();
  EXPECT_EQ(run(repairs, now, whole), first);
}

TEST(Repairs, TakeWhenToldToWhatWasNotWorthIt) {
  Outside outside;
  Repairs repairs(outside.outlets());
  PluginConfig config = patient();
  config.rebalance_gain = 0.9;
  const RoutingTask task = task_of(damaged_tree(), config);
  const ForwardingTables start = run(repairs, config, task);
  EXPECT_TRUE(waits_for([&] { return outside.infos().find("the reference stays") != std::string::npos; }));
  EXPECT_EQ(run(repairs, config, task), start);
  config.rebalance = Rebalance::kNow;
  run(repairs, config, task);
  config.rebalance = Rebalance::kAuto;  // soon after
  run(repairs, config, task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.infos();
  EXPECT_EQ(run(repairs, config, task), routed(task, 50));
}

// As on a busy machine.
TEST(Repairs, HaveAReferenceWhereLinksFailFasterThanItIsMade) {
  Outside outside;
  Repairs repairs(outside.outlets());
  PluginConfig config = patient();
  config.rebalance = Rebalance::kNever;
  std::vector<RoutingTask> tasks;
  std::vector<std::shared_ptr<const Routing>> routings;
  for (const std::uint64_t seed : {std::uint64_t{1001}, std::uint64_t{1002}}) {
    const Fabric whole = test::pgft("3;6,6,12;1,6,6;1,1,1");
    tasks.push_back(task_of(degrade(whole, {.links = 2, .seed = seed}).value(), config, "dmodc"));
    routings.push_back(std::make_shared<const Routing>(Routing{routed(tasks.back(), 0), {}}));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool is_asked = false;
  for (std::size_t i = 0; !is_asked && std::chrono::steady_clock::now() < end; i = 1 - i) {
    repairs.in_use(config, tasks[i], Repairs::Made::kWhole, routings[i]);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // else the thread, of low priority, hardly gets the lock
    if (!repairs.reference_age()) continue;
    is_asked = outside.is_asked_for_sweeps(1, std::chrono::milliseconds(200));  // for repaired tables to be in use
    if (!is_asked) repairs.discard_reference();  // it was made in time: of the tables in use
  }
  EXPECT_TRUE(is_asked) << outside.errors();
  EXPECT_TRUE(repairs.reference_age().has_value());
}

// By the next sweep the reference has been extended; the search for what returned is due all the same.
TEST(Repairs, SearchForWhatReturnedThoughAnotherSweepComesFirst) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask whole = task_of(damaged_tree(), patient());
  PluginConfig now = patient();
  now.rebalance = Rebalance::kNow;
  const RoutingTask broken = task_of(degrade(*whole.fabric, {.links = 7, .seed = 1002}).value(), now);
  run(repairs, now, broken);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.infos();
  run(repairs, now, broken);
  PluginConfig soon = patient();
  soon.rebalance_quiet_seconds = 1;
  run(repairs, soon, whole);
  EXPECT_TRUE(waits_for([&] { return !repairs.reference(soon, whole)->patch(*whole.fabric, {})->has_new_equipment; }));
  run(repairs, soon, whole);
  ASSERT_TRUE(outside.is_asked_for_sweeps(2)) << outside.infos();
  EXPECT_EQ(run(repairs, soon, whole), routed(whole, 50));
}

TEST(Repairs, KeepTheReferenceUntilTablesOfNewOptionsAreThere) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), patient());
  run(repairs, patient(), task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  const ForwardingTables first = run(repairs, patient(), task);
  PluginConfig other = patient();
  other.balance_ms = 0;
  EXPECT_EQ(run(repairs, other, task_of(damaged_tree(), other)), first);
  ASSERT_TRUE(outside.is_asked_for_sweeps(2));
  EXPECT_EQ(run(repairs, other, task_of(damaged_tree(), other)), routed(task, 0));
}

TEST(Repairs, AreOfOneEngine) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const PluginConfig config = patient();
  run(repairs, config, task_of(damaged_tree(), config));
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  EXPECT_EQ(repairs.reference(config, task_of(damaged_tree(), config, "dmodc")), nullptr);
}

}  // namespace
}  // namespace espalier
