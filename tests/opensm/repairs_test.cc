// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/repairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/io/file.h"
#include "core/repair/repairable_reference.h"
#include "core/tree/rank.h"
#include "plugin/repair/state_file.h"
#include "tests/opensm/outside.h"
#include "tests/support/fabrics.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using test::Outside;
using ::testing::HasSubstr;

// A tree on which the search of balanced gains.
Fabric damaged_tree() { return degrade(test::pgft("3;6,4,6;1,4,4;1,1,1"), {.links = 9, .seed = 1001}).value(); }

RoutingTask task_of(Fabric fabric, const PluginConfig& config, const std::string& engine = "balanced") {
  auto owned = std::make_shared<const Fabric>(std::move(fabric));
  auto tree = std::make_shared<const FatTree>(rank(*owned).value());
  EngineOptions options;
  options.seed = config.seed;
  options.balance_ms = config.balance_ms;
  return make_task(config, engine, {}, owned, tree, options);
}

ForwardingTables routed(const RoutingTask& task, std::uint32_t balance_ms) {
  EngineOptions options = task.options;
  options.balance_ms = balance_ms;
  return make_engine(task.engine, options)->route(*task.tree).value().tables;
}

PluginConfig patient() {
  PluginConfig config;
  config.balance_ms = 50;
  config.rebalance_quiet_seconds = 100'000;
  return config;
}

// A run as the plugin makes it; the tables that are in use then. Repaired tables are told of.
ForwardingTables run(Repairs& repairs, const PluginConfig& config, const RoutingTask& task,
                     bool* was_repaired = nullptr) {
  const std::shared_ptr<const RepairableReference> reference = repairs.reference(config, task);
  if (was_repaired != nullptr) *was_repaired = reference != nullptr;
  if (!reference) {
    ForwardingTables start = routed(task, 0);
    repairs.in_use(config, task, Repairs::Made::kStart, std::make_shared<const Routing>(Routing{start, {}}));
    return start;
  }
  const PatchedRepair repaired = reference->patch(*task.fabric, {}).value();
  EXPECT_TRUE(verify(*task.fabric, repaired.tables.whole()).ok());
  repairs.in_use(config, task, RepairFacts{repaired.entries > 0 ? 0.5 : 0, repaired.has_new_equipment});
  return repaired.tables.whole();
}

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
  for (int i = 0; i < 600 && outside.infos().find("the reference stays") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
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
  for (int i = 0; i < 600 && repairs.reference(soon, whole)->patch(*whole.fabric, {})->has_new_equipment; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
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

class RepairsState : public test::OwnDirectory {
 protected:
  RepairsState() { config_.state_directory = path_; }

  // The reference of a first life is in the file; its tables.
  ForwardingTables first_life() {
    Outside outside;
    Repairs repairs(outside.outlets());
    const RoutingTask task = task_of(damaged_tree(), config_);
    run(repairs, config_, task);
    EXPECT_TRUE(outside.is_asked_for_sweeps(1));
    for (int i = 0; i < 600 && state_version(config_.state_directory) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return run(repairs, config_, task);
  }
  // Whether a second life repairs at its first run.
  bool second_life(Outside& outside) {
    Repairs repairs(outside.outlets());
    repairs.preload(config_.state_directory);
    bool was_repaired = false;
    last_ = run(repairs, config_, task_of(damaged_tree(), config_), &was_repaired);
    return was_repaired;
  }

  PluginConfig config_ = patient();
  ForwardingTables last_;
};

TEST_F(RepairsState, OutlivesOpenSm) {
  const ForwardingTables first = first_life();
  Outside outside;
  EXPECT_TRUE(second_life(outside)) << outside.errors();
  EXPECT_EQ(last_, first);
  EXPECT_THAT(outside.infos(), HasSubstr("the reference was read from"));
}

TEST_F(RepairsState, IsThereAheadOfTheFirstRunWhichGetsTheSame) {
  static_cast<void>(first_life());
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), config_);
  const auto ahead = repairs.preview(config_, task, {});
  ASSERT_TRUE(ahead && *ahead != nullptr);
  EXPECT_EQ(repairs.preview(config_, task_of(damaged_tree(), config_, "dmodc"), {}), nullptr) << "of another engine";
  EXPECT_EQ(outside.infos() + outside.errors(), "") << "told of by the run";
  EXPECT_EQ(repairs.reference(config_, task), *ahead);
  EXPECT_THAT(outside.infos(), HasSubstr("the reference was read from"));
}

TEST_F(RepairsState, IsReadAgainWhereAnotherOpenSmWasMasterMeanwhile) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), config_);
  run(repairs, config_, task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  for (int i = 0; i < 600 && state_version(config_.state_directory) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the thread has seen that it has written it
  const ForwardingTables own = run(repairs, config_, task);
  const ForwardingTables others = make_engine("dmodc", {})->route(*task.tree)->tables;
  ASSERT_NE(own, others);
  ASSERT_TRUE(save_state(config_.state_directory, make_reference(task.origin.text(), *task.tree, others)));
  bool was_repaired = false;
  EXPECT_EQ(run(repairs, config_, task, &was_repaired), others);
  EXPECT_TRUE(was_repaired);
  // And again where it cannot be read: what there is remains.
  ASSERT_TRUE(write_file(state_file(config_.state_directory), "none"));
  EXPECT_EQ(run(repairs, config_, task), others);
  EXPECT_THAT(outside.errors(), HasSubstr("is ignored"));
}

TEST_F(RepairsState, IsToldOfAndIgnoredWhereItIsDamagedOrInOthersHands) {
  first_life();
  const std::string file = state_file(config_.state_directory);
  const std::string good = read_file(file, {ReadLimits::Kinds::kRegularFiles, 1 << 24}).value();
  Outside others;
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_FALSE(second_life(others));
  EXPECT_THAT(others.errors(), HasSubstr("is ignored"));
  std::filesystem::remove(file);
  ASSERT_TRUE(write_file(file, good.substr(0, good.size() / 2)));
  Outside half;
  EXPECT_FALSE(second_life(half));
  EXPECT_THAT(half.errors(), HasSubstr("is ignored"));
}

// The option comes while OpenSM runs; and what keeps the file from being written is told of once and put right.
TEST_F(RepairsState, IsWrittenWithTheNextRunWhereItWasNotBefore) {
  Outside outside;
  Repairs repairs(outside.outlets());
  PluginConfig config = config_;
  config.state_directory.clear();
  const RoutingTask task = task_of(damaged_tree(), config);
  run(repairs, config, task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  run(repairs, config, task);
  ASSERT_TRUE(write_file(config_.state_directory, "in the way"));
  const auto waits = [&](const auto& until) {
    for (int i = 0; i < 600 && !until(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return until();
  };
  for (int i = 0; i < 3; ++i) {
    run(repairs, config_, task);
    ASSERT_TRUE(waits([&] { return !outside.errors().empty(); }));
  }
  EXPECT_THAT(outside.errors(), HasSubstr("state_directory: "));
  EXPECT_EQ(outside.errors().find('\n'), outside.errors().size() - 1) << outside.errors();
  std::filesystem::remove(config_.state_directory);
  // A run during which the attempt of the one before is still going on leaves it to the next.
  ForwardingTables tables(0, kNoLid);
  EXPECT_TRUE(waits([&] {
    tables = run(repairs, config_, task);
    return state_version(config_.state_directory) != 0;
  }));
  Outside second;
  EXPECT_TRUE(second_life(second)) << second.errors();
  EXPECT_EQ(last_, tables);
}

TEST_F(RepairsState, IsWrittenAgainWhereItIsLost) {
  Outside outside;
  Repairs repairs(outside.outlets());
  const RoutingTask task = task_of(damaged_tree(), config_);
  const auto is_there = [&] {
    for (int i = 0; i < 600 && state_version(config_.state_directory) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return state_version(config_.state_directory) != 0;
  };
  run(repairs, config_, task);
  ASSERT_TRUE(outside.is_asked_for_sweeps(1));
  ASSERT_TRUE(is_there());
  std::filesystem::remove_all(path_);
  run(repairs, config_, task);
  EXPECT_TRUE(is_there());
  EXPECT_EQ(outside.errors(), "");
}

TEST_F(RepairsState, IsNotWrittenWhereItWouldNotBeRead) {
  const Fabric tree = test::pgft("2;4,4;1,2;1,1");
  const Reference reference = make_reference("x y", rank(tree).value(), {tree.num_switches(), tree.top_lid()});
  ASSERT_TRUE(save_state(path_, reference));
  ASSERT_EQ(::chmod(state_file(path_).c_str(), 0666), 0);
  EXPECT_FALSE(load_state(path_));
  ASSERT_TRUE(save_state(path_, reference));
  EXPECT_TRUE(load_state(path_)) << "a file of our own again";
  ASSERT_EQ(::chmod(path_.c_str(), 0777), 0);
  const Status saved = save_state(path_, reference);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().text(), HasSubstr("can be changed by anyone"));
  EXPECT_THAT(save_state(path_ / "a" / "b", reference).error().text(), HasSubstr("a/b: cannot create: "));
}

// As `espalier route --save-reference` writes it.
TEST_F(RepairsState, OfTheCommandIsStartedFrom) {
  const RoutingTask task = task_of(damaged_tree(), config_);
  const ForwardingTables own = make_engine("dmodc", {})->route(*task.tree)->tables;  // not what `balanced` would make
  ASSERT_TRUE(save_state(config_.state_directory, make_reference("balanced", *task.tree, own)));
  Outside outside;
  Repairs repairs(outside.outlets());
  EXPECT_EQ(run(repairs, config_, task), own);
  EXPECT_EQ(outside.errors(), "");
}

TEST_F(RepairsState, OfAnotherFabricIsForeign) {
  const ForwardingTables first = first_life();
  const Fabric other = test::pgft("2;4,4;1,2;1,1");
  const Result<Reference> reference = load_state(config_.state_directory);
  ASSERT_TRUE(reference) << reference.error().text();
  EXPECT_EQ(why_foreign(*reference, damaged_tree(), "balanced levels=0", 8), "");
  EXPECT_THAT(why_foreign(*reference, damaged_tree(), "dmodc levels=0", 8), HasSubstr("by the engine balanced"));
  EXPECT_THAT(why_foreign(*reference, damaged_tree(), "balanced levels=1", 8),
              HasSubstr("other GUIDs in root_guid_file"));
  EXPECT_THAT(
      why_foreign(make_reference("x y", rank(other).value(), ForwardingTables(other.num_switches(), other.top_lid())),
                  damaged_tree(), "x", 8),
      HasSubstr("of the 64 switches"));
}

}  // namespace
}  // namespace espalier
