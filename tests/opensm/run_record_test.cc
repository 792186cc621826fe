// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/metrics/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "plugin/metrics/metrics.h"
#include "tests/opensm/waits_for.h"
#include "tests/support/fabrics.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

RunRecord repaired_run() {
  RunRecord record;
  record.when = std::chrono::system_clock::from_time_t(1'000'000'000);
  record.engine = "balanced";
  record.how = RunRecord::How::kRepaired;
  record.switches = 8;
  record.under_lock_ms = 2.5;
  record.laps = {.snapshot = 0.5, .rank = 0.25, .route = 1, .verify = 0.5, .apply = 0.25};
  record.changed_entries = 7;
  record.changed_blocks = 3;
  record.repaired_routes = 5;
  record.reference_age_s = 60;
  record.worst_load = 4;
  record.holds = {"leaf \"2\" port 7 - spine\\1 port 3"};
  return record;
}

std::string slurp(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RunRecord, IsOneLineOfJson) {
  const std::string line = json_line(repaired_run());
  EXPECT_EQ(line.find('\n'), line.npos);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["time"], "2001-09-09T01:46:40Z");
  EXPECT_EQ(json["run"], "repaired");
  EXPECT_EQ(json["under_lock_ms"], 2.5);
  EXPECT_EQ(json["route_ms"], 1);
  EXPECT_EQ(json["entries"], 7);
  EXPECT_EQ(json["blocks"], 3);
  EXPECT_EQ(json["reference_age_s"], 60);
  EXPECT_EQ(json["worst_load"], 4);
  EXPECT_TRUE(json["mean_random_load"].is_null());
  EXPECT_EQ(json["holds"][0], "leaf \"2\" port 7 - spine\\1 port 3");
  EXPECT_EQ(json["verified"], true);
}

TEST(RunRecord, OfADeclineSaysWhy) {
  RunRecord record;
  record.why_declined = "bad \xFF bytes";
  const auto json = nlohmann::json::parse(json_line(record));
  EXPECT_EQ(json["run"], "declined");
  EXPECT_EQ(json["verified"], false);
  EXPECT_THAT(json["why_declined"].get<std::string>(), HasSubstr("bad "));
}

// The run had the options that were read before.
TEST(RunRecord, TellsWhatIsWrongInTheOptions) {
  RunRecord record = repaired_run();
  EXPECT_FALSE(nlohmann::json::parse(json_line(record)).contains("config_error"));
  EXPECT_THAT(prometheus_text({}, record), HasSubstr("espalier_config_valid 1\n"));
  record.config_error = "espalier.conf:2: unknown option \"thredas\"";
  EXPECT_EQ(nlohmann::json::parse(json_line(record))["config_error"], record.config_error);
  EXPECT_THAT(prometheus_text({}, record), HasSubstr("espalier_config_valid 0\n"));
}

// Each line is a comment or a sample of a family that was declared before, once.
TEST(RunRecord, IsTextThatPrometheusReads) {
  RunTotals totals;
  totals.add(repaired_run());
  totals.add(repaired_run());
  const std::string text = prometheus_text(totals, repaired_run());
  const std::regex sample(R"re((espalier_[a-z_]+)(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\})? [0-9.e+-]+)re");
  std::set<std::string> families;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(families.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
    }
    if (line.starts_with("#")) continue;
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, sample)) << line;
    EXPECT_TRUE(families.contains(parts[1])) << line;
  }
  EXPECT_THAT(text, HasSubstr("espalier_runs_total{run=\"repaired\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("espalier_changed_entries_total 14\n"));
  EXPECT_THAT(text, HasSubstr("espalier_last_run_lock_seconds 0.0025\n"));
  EXPECT_THAT(text, HasSubstr("espalier_held_link{link=\"leaf \\\"2\\\" port 7 - spine\\\\1 port 3\"} 1\n"));
}

// The fabric is there still, and a counter never goes back.
TEST(RunRecord, OfADeclineLeavesTheFabricAndTheCountersAsTheyWere) {
  RunRecord good = repaired_run();
  good.rebalances = 2;
  RunTotals totals;
  totals.add(good);
  totals.add({});
  const std::string text = prometheus_text(totals, {});
  EXPECT_THAT(text, HasSubstr("espalier_switches 8\n"));
  EXPECT_THAT(text, HasSubstr("espalier_rebalances_total 2\n"));
  EXPECT_THAT(text, HasSubstr("espalier_runs_total{run=\"declined\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("espalier_last_run_verified 0\n"));
}

class MetricsTest : public test::OwnDirectory {
 protected:
  MetricsTest() {
    std::filesystem::create_directory(path_);
    config_.metrics_file = path_ / "espalier.prom";
    config_.performance_log = path_ / "runs.log";
  }
  PluginConfig config_;
};

TEST_F(MetricsTest, AreInTheirFilesWhenTheThreadHasEnded) {
  {
    Metrics metrics([](std::string_view what) { ADD_FAILURE() << what; });
    for (int i = 0; i < 3; ++i) metrics.note(config_, repaired_run(), {});
  }
  const std::string log = slurp(config_.performance_log);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3);
  EXPECT_THAT(slurp(config_.metrics_file), HasSubstr("espalier_runs_total{run=\"repaired\"} 3\n"));
}

TEST_F(MetricsTest, CountTheLoadsOfTheTablesInUse) {
  const auto fabric = std::make_shared<const Fabric>(test::pgft("2;4,4;1,2;1,1"));
  const FatTree tree = rank(*fabric).value();
  const auto tables = std::make_shared<const ForwardingTables>(make_engine("dmodc")->route(tree).value().tables);
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric->endports()) hosts.push_back(e);
  RunRecord record = repaired_run();
  record.worst_load.reset();
  Metrics metrics([](std::string_view what) { ADD_FAILURE() << what; });
  metrics.note(config_, record, {fabric, TableRows(*tables), tables, hosts});
  ASSERT_TRUE(test::waits_for([&] { return std::filesystem::exists(config_.metrics_file); }));
  // Four hosts share two spines: two flows each.
  EXPECT_EQ(nlohmann::json::parse(slurp(config_.performance_log))["worst_load"], 2);
}

TEST_F(MetricsTest, TellOnceThatAFileCannotBeWritten) {
  config_.performance_log = path_ / "link";
  std::filesystem::create_symlink("/etc/hosts", config_.performance_log);
  std::vector<std::string> told;
  {
    Metrics metrics([&](std::string_view what) { told.emplace_back(what); });
    for (int i = 0; i < 3; ++i) metrics.note(config_, repaired_run(), {});
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], HasSubstr("performance_log: "));
}

}  // namespace
}  // namespace espalier
