// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <gtest/gtest.h>

#include <ctime>

#include "plugin/repair/policy.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::system_clock;

system_clock::time_point today_at(int hour) {
  const std::time_t now = system_clock::to_time_t(system_clock::now());
  std::tm local{};
  ::localtime_r(&now, &local);
  local.tm_hour = hour;
  local.tm_min = 30;
  local.tm_sec = 5;
  return system_clock::from_time_t(::mktime(&local));
}

int hour_of(system_clock::time_point at) {
  const std::time_t seconds_since = system_clock::to_time_t(at);
  std::tm local{};
  ::localtime_r(&seconds_since, &local);
  return local.tm_hour * 100 + local.tm_min;
}

// Much was repaired, and nothing happened since.
RunFacts moved_facts() {
  RunFacts facts;
  facts.moved = 0.5;
  facts.now = facts.last_change = today_at(13);
  return facts;
}

const Fabric& small_graph() {
  static const Fabric fabric = test::generated("jellyfish", "24,5,3");
  return fabric;
}
const Fabric& large_graph() {
  static const Fabric fabric = test::generated("jellyfish", "130,6,8");
  return fabric;
}

TEST(RepairPolicy, RepairsByDefaultWhatTakesLongToRoute) {
  PluginConfig config;
  EXPECT_TRUE(wants_repair(config, "balanced", small_graph()));
  EXPECT_TRUE(wants_repair(config, "layers", small_graph()));
  EXPECT_TRUE(wants_repair(config, "flows", small_graph()));
  for (const char* engine : {"dmodc", "dragonfly", "dragonfly-rlm"})
    EXPECT_FALSE(wants_repair(config, engine, small_graph())) << engine;
  EXPECT_FALSE(wants_repair(config, "dmodc", large_graph()));
  const Fabric larger = test::generated("jellyfish", "330,6,9");
  for (const char* engine : {"dragonfly", "dragonfly-rlm"})
    EXPECT_TRUE(wants_repair(config, engine, larger)) << engine << " searches for lanes where links are gone";
  config.repair = RepairWhen::kNever;
  for (const char* engine : {"balanced", "layers", "flows"})
    EXPECT_FALSE(wants_repair(config, engine, small_graph())) << engine;
}

TEST(RepairPolicy, NeverRepairsTablesThatFilesForSendersGoWith) {
  PluginConfig config;
  config.repair = RepairWhen::kAlways;
  for (const char* engine : {"dmodc", "flows", "layers", "dragonfly", "dragonfly-rlm"})
    EXPECT_TRUE(wants_repair(config, engine, small_graph())) << engine;
  for (const char* engine : {"fors", "gxmodk"}) EXPECT_FALSE(wants_repair(config, engine, small_graph())) << engine;
  config.lid_choices_file = "/run/choices";
  EXPECT_TRUE(wants_repair(config, "dmodc", small_graph()));
  for (const char* engine : {"flows", "dragonfly-rlm"})
    EXPECT_FALSE(wants_repair(config, engine, small_graph())) << engine;
  config.source_offsets_file = "/run/offsets";
  EXPECT_FALSE(wants_repair(config, "dmodc", small_graph()));
  config.source_offsets_file.clear();
  config.switches.spine_threshold = 0.5;
  EXPECT_FALSE(wants_repair(config, "dmodc", small_graph()));
}

TEST(RepairPolicy, MixesTablesOfOneLaneAlone) {
  PluginConfig config;
  for (const char* engine : {"balanced", "dmodc"}) EXPECT_TRUE(may_mix_tables(config, engine)) << engine;
  for (const char* engine : {"fors", "gxmodk", "flows", "layers", "dragonfly"})
    EXPECT_FALSE(may_mix_tables(config, engine)) << engine;
  config.source_offsets_file = "/run/offsets";
  EXPECT_FALSE(may_mix_tables(config, "dmodc"));
}

TEST(RepairPolicy, TellsTablesOfOtherOptionsApartButTakesThemForAReference) {
  PluginConfig config;
  PluginConfig other;
  other.seed = 2;
  EXPECT_EQ(origin_of("balanced", config, {1}), origin_of("balanced", config, {1}));
  EXPECT_EQ(origin_of("balanced", config, {1}).engine, origin_of("balanced", other, {1}).engine);
  EXPECT_NE(origin_of("balanced", config, {1}), origin_of("balanced", other, {1}));
  EXPECT_NE(origin_of("balanced", config, {1}).engine, origin_of("balanced", config, {2}).engine);
  EXPECT_EQ(origin_of("balanced", config, {1, 5}).engine, origin_of("balanced", config, {1, 6}).engine);
  EXPECT_NE(origin_of("balanced", config, {1, 5}),
            origin_of("balanced", config, {1, 6}));  // another file of host_order
  EXPECT_NE(origin_of("balanced", config, {1}).engine, origin_of("dmodc", config, {1}).engine);
  EXPECT_NE(origin_of("layers", config, {1, 5}, 2), origin_of("layers", config, {1, 5}, 4));
  EXPECT_EQ(origin_of("layers", config, {1, 5}, 2).engine, origin_of("layers", config, {1, 5}, 4).engine);
  EXPECT_EQ(origin_of("balanced", config, {1, 5}, 2), origin_of("balanced", config, {1, 5}, 4)) << "it has one lane";
}

TEST(RepairPolicy, SearchesAnewWhereFilesOfHostsWeighOtherwise) {
  PluginConfig config;
  config.host_order = {HostOrderWish::By::kFiles, {{"/etc/a", 1}, {"/etc/b", 1}}};
  PluginConfig other = config;
  other.host_order.files[1].weight = 2;
  EXPECT_NE(origin_of("balanced", config, {1, 5}), origin_of("balanced", other, {1, 5}));
}

TEST(RepairPolicy, SearchesAtOnceForWhatASlowEngineHadNoTimeFor) {
  PluginConfig config;
  config.rebalance = Rebalance::kNever;
  RunFacts facts;
  facts.now = today_at(13);
  EXPECT_FALSE(plan_search(config, facts));
  facts.is_first_choice = false;
  ASSERT_TRUE(plan_search(config, facts));
  EXPECT_EQ(plan_search(config, facts)->at, facts.now);
  EXPECT_EQ(plan_search(config, facts)->gain, config.rebalance_gain);
  facts.is_makeshift = true;
  EXPECT_LT(plan_search(config, facts)->gain, 0) << "another engine was asked for, whatever its tables are";
  facts.was_searched = true;
  EXPECT_FALSE(plan_search(config, facts));
}

TEST(RepairPolicy, SearchesForNewOptionsWhateverTheyGain) {
  RunFacts facts;
  facts.has_new_options = true;
  facts.now = today_at(13);
  ASSERT_TRUE(plan_search({}, facts));
  EXPECT_LT(plan_search({}, facts)->gain, 0);
}

TEST(RepairPolicy, WaitsUntilItIsQuietAndEnoughHasMoved) {
  const PluginConfig config;
  RunFacts facts = moved_facts();
  ASSERT_TRUE(plan_search(config, facts));
  EXPECT_EQ(plan_search(config, facts)->at, facts.now + seconds(300));
  facts.last_change = facts.now - seconds(400);
  EXPECT_EQ(plan_search(config, facts)->at, facts.now);
  facts.moved = config.rebalance_moved / 2;
  EXPECT_FALSE(plan_search(config, facts));
  facts.has_new_equipment = true;
  ASSERT_TRUE(plan_search(config, facts));
  EXPECT_EQ(plan_search(config, facts)->gain, 0) << "what is new is worth tables that are as good";
}

TEST(RepairPolicy, DoesWhatItIsToldToAtOnceOrNever) {
  PluginConfig config;
  config.rebalance = Rebalance::kNow;
  EXPECT_EQ(plan_search(config, moved_facts())->at, moved_facts().now);
  EXPECT_FALSE(plan_search(config, {})) << "nothing has moved";
  config.rebalance = Rebalance::kNever;
  EXPECT_FALSE(plan_search(config, moved_facts()));
}

// Tables that had been found and were not worth it by rebalance_gain.
TEST(RepairPolicy, SearchesAgainWhereItIsToldTo) {
  RunFacts facts = moved_facts();
  facts.was_searched = true;
  EXPECT_FALSE(plan_search({}, facts));
  facts.is_told_to = true;
  facts.moved = 0;
  ASSERT_TRUE(plan_search({}, facts));
  EXPECT_EQ(plan_search({}, facts)->at, facts.now);
  EXPECT_LT(plan_search({}, facts)->gain, 0) << "whatever it is";
}

TEST(RepairPolicy, KeepsToTheHoursOfMaintenance) {
  PluginConfig config;
  RunFacts facts = moved_facts();
  const auto planned = [&](unsigned begin, unsigned end, int hour) {
    config.rebalance_hours = {begin, end};
    facts.now = today_at(hour);
    facts.last_change = facts.now - hours(1);
    return hour_of(plan_search(config, facts)->at);
  };
  EXPECT_EQ(planned(22, 6, 13), 2200);
  EXPECT_EQ(planned(22, 6, 23), 2330);
  EXPECT_EQ(planned(22, 6, 5), 530);
  EXPECT_EQ(planned(22, 6, 6), 2200);
  EXPECT_EQ(planned(1, 4, 13), 100);
}

}  // namespace
}  // namespace espalier
