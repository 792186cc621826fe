// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/saved_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/engines/engines.h"
#include "core/io/file.h"
#include "core/repair/repairable_reference.h"
#include "core/tree/rank.h"
#include "plugin/repair/repairs.h"
#include "plugin/repair/state_file.h"
#include "tests/opensm/outside.h"
#include "tests/opensm/repair_runs.h"
#include "tests/opensm/waits_for.h"
#include "tests/support/fabrics.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using test::damaged_tree;
using test::Outside;
using test::patient;
using test::run;
using test::task_of;
using test::waits_for;
using ::testing::HasSubstr;

class RepairsState : public test::OwnDirectory {
 protected:
  RepairsState() { config_.state_directory = path_; }

  [[nodiscard]] bool is_saved_soon() const {
    return waits_for([this] { return state_version(config_.state_directory) != 0; });
  }

  // A first run, whose reference is in the file then.
  void run_and_save(Repairs& repairs, Outside& outside, const RoutingTask& task) {
    run(repairs, config_, task);
    ASSERT_TRUE(outside.is_asked_for_sweeps(1)) << outside.errors();
    ASSERT_TRUE(is_saved_soon());
  }

  // The reference of a first life is in the file; its tables.
  ForwardingTables first_life() {
    Outside outside;
    Repairs repairs(outside.outlets());
    const RoutingTask task = task_of(damaged_tree(), config_);
    run_and_save(repairs, outside, task);
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
  ASSERT_NO_FATAL_FAILURE(run_and_save(repairs, outside, task));
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
  for (int i = 0; i < 3; ++i) {
    run(repairs, config_, task);
    ASSERT_TRUE(waits_for([&] { return !outside.errors().empty(); }));
  }
  EXPECT_THAT(outside.errors(), HasSubstr("state_directory: "));
  EXPECT_EQ(outside.errors().find('\n'), outside.errors().size() - 1) << outside.errors();
  std::filesystem::remove(config_.state_directory);
  // A run during which the attempt of the one before is still going on leaves it to the next.
  ForwardingTables tables(0, kNoLid);
  EXPECT_TRUE(waits_for([&] {
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
  ASSERT_NO_FATAL_FAILURE(run_and_save(repairs, outside, task));
  std::filesystem::remove_all(path_);
  run(repairs, config_, task);
  EXPECT_TRUE(is_saved_soon());
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
