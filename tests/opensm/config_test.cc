// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "core/io/file.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string complaint(std::string_view text) {
  const auto config = parse_config(text, "espalier.conf");
  return config ? "" : config.error().text();
}

TEST(Config, IsAllDefaultsWithoutAFile) { EXPECT_EQ(*read_config(""), PluginConfig{}); }

TEST(Config, ExampleNamesEveryOptionAndHasTheDefaults) {
  const auto text = read_file(ESPALIER_CONF_EXAMPLE);
  ASSERT_TRUE(text) << text.error().text();
  const auto config = parse_config(*text, "example");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(*config, PluginConfig{});
  const std::string advice =
      parse_config("unknown 1", "conf").error().advice;  // "valid keys are threads, ..., a and b"
  const std::regex key("[a-z_]+(?=,|$| and)");
  for (auto found = std::sregex_iterator(advice.begin(), advice.end(), key); found != std::sregex_iterator(); ++found)
    EXPECT_TRUE(std::regex_search(*text, std::regex("(^|\n)#?" + found->str() + " "))) << found->str();
}

TEST(Config, ReadsEveryOptionBetweenCommentsAndBlankLines) {
  const auto config = parse_config(
      "# a comment\n\n  threads\t3 # two cores less\r\nthread_priority normal\nhop_tables all\nlog_irregularities "
      "0\nhost_order topology\nseed "
      "7\n"
      "switch_paths updown\nsftree_base dmodc\nswitch_sl 3\nobjective sp=2,rp\nbalance_ms 20\nnode_types "
      "/etc/opensm/types\ngxmodk_mode "
      "auto\n"
      "storage_share 0.25\nsource_offsets_file /run/offsets\nlid_choices_file /run/choices\nfull_upload_every "
      "5\nbalance_wall_ms 77\nflows_file "
      "/etc/opensm/flows",
      "espalier.conf");
  ASSERT_TRUE(config) << config.error().text();
  PluginConfig expected;
  expected.threads = 3;
  expected.thread_priority = ThreadPriority::kNormal;
  expected.hop_tables = HopTables::kAll;
  expected.log_irregularities = 0;
  expected.host_order = {HostOrderWish::By::kTopology, {}};
  expected.seed = 7;
  expected.switch_paths = SwitchPaths::kUpDown;
  expected.sftree_base = SftreeBase::kDmodc;
  expected.node_types = "/etc/opensm/types";
  expected.gxmodk_mode = GxmodkMode::kAuto;
  expected.storage_share = 0.25;
  expected.source_offsets_file = "/run/offsets";
  expected.lid_choices_file = "/run/choices";
  expected.objective = {.shifts = 2, .random = 1, .phases = false, .offsets = false, .flows = 0};
  expected.balance_ms = 20;
  expected.balance_wall_ms = 77;
  expected.full_upload_every = 5;
  expected.switch_sl = 3;
  expected.flows_file = "/etc/opensm/flows";
  EXPECT_EQ(*config, expected);
}

TEST(Config, ReadsWhenTablesAreRepairedAndWhenTheyGiveWay) {
  const auto config = parse_config(
      "repair always\nrebalance now\nrebalance_gain 0.5\nrebalance_moved 0\nrebalance_quiet_seconds 7\n"
      "rebalance_hours 22-6\nmax_blocks_per_sweep 400\nstate_directory /var/lib/espalier\n",
      "espalier.conf");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->repair, RepairWhen::kAlways);
  EXPECT_EQ(config->rebalance, Rebalance::kNow);
  EXPECT_EQ(config->rebalance_gain, 0.5);
  EXPECT_EQ(config->rebalance_moved, 0);
  EXPECT_EQ(config->rebalance_quiet_seconds, 7U);
  EXPECT_EQ(config->max_blocks_per_sweep, 400U);
  EXPECT_EQ(config->rebalance_hours, (RebalanceHours{22, 6}));
  EXPECT_EQ(config->state_directory, "/var/lib/espalier");
  EXPECT_EQ(parse_config("rebalance_hours always", "")->rebalance_hours, RebalanceHours{});
  EXPECT_EQ(parse_config("rebalance_hours 20-24", "")->rebalance_hours, (RebalanceHours{20, 0}));
  EXPECT_THAT(complaint("repair sometimes"), HasSubstr("repair must be auto, always or never"));
  EXPECT_THAT(complaint("rebalance later"), HasSubstr("rebalance must be never, auto or now"));
  EXPECT_THAT(complaint("rebalance_gain 2"), HasSubstr("rebalance_gain must be a number from 0 to 1"));
  for (const char* hours : {"22", "22-", "6-6", "0-24", "22-25", "-"})
    EXPECT_THAT(complaint(std::string("rebalance_hours ") + hours), HasSubstr("two different hours"));
}

TEST(Config, ReadsWhereAndHowSchedulesArePublished) {
  const auto config = parse_config(
      "schedule_directory /run/schedule\nschedule_mode block\nschedule_participants /etc/guids\n", "espalier.conf");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->schedule_directory, "/run/schedule");
  EXPECT_EQ(config->schedule_mode, WantedMode::kBlock);
  EXPECT_EQ(config->schedule_participants, "/etc/guids");
  EXPECT_THAT(complaint("schedule_mode spines"), HasSubstr("schedule_mode must be auto, spine or block"));
}

TEST(Config, ReadsRulesAboutSwitches) {
  const auto config = parse_config(
      "root name ^core [0-9]+ top # these\nrank 1 name ^agg\nexclude guid 0x12\nexclude name x#7$\nspine_threshold "
      "0.5\n",
      "espalier.conf");
  ASSERT_TRUE(config) << config.error().text();
  ASSERT_EQ(config->switches.roots.size(), 1U);
  EXPECT_EQ(config->switches.roots[0].text, "name ^core [0-9]+ top");
  EXPECT_EQ(config->switches.ranks.size(), 1U);
  EXPECT_EQ(config->switches.excluded.size(), 2U);
  EXPECT_DOUBLE_EQ(config->switches.spine_threshold, 0.5);
  EXPECT_NE(*config, PluginConfig{});
  EXPECT_THAT(complaint("threads 1\nexclude name (\n"), HasSubstr("espalier.conf:2:"));
}

TEST(Config, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_THAT(complaint("threads 1\nthread 2\n"),
              HasSubstr("espalier.conf:2: unknown option \"thread\" (did you mean threads?)"));
  EXPECT_THAT(complaint("engine dmodc"), HasSubstr("unknown option \"engine\"; valid keys are threads, "));
  EXPECT_THAT(complaint("\n\nthreads\n"),
              HasSubstr("espalier.conf:3: a line must be \"key value\", but this one has 1 word"));
  EXPECT_THAT(complaint("threads 1 2"),
              HasSubstr("espalier.conf:1: a line must be \"key value\", but this one has 3 words; "
                        "threads takes one value, without blanks in it"));
  EXPECT_THAT(complaint("threads 1\nthreads 1"), HasSubstr("espalier.conf:2: threads is given twice"));
}

TEST(Config, RefusesNumbersThatAreNone) {
  for (const char* text :
       {"threads -1", "threads 1.5", "threads x", "threads 99999999999999999999", "threads 1025", "thread_priority 1",
        "hop_tables some", "log_irregularities 1000001", "seed -1", "switch_paths none", "sftree_base minhop",
        "switch_sl 16", "balance_ms 60001", "objective phase", "objective best", "host_order a:b", "gxmodk_mode best",
        "storage_share 1.5", "storage_share nan"})
    EXPECT_THAT(complaint(text), HasSubstr("espalier.conf:1:")) << text;
}

TEST(Config, SaysWhyAFileCannotBeRead) {
  const auto missing = read_config("/nonexistent/espalier.conf");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("/nonexistent/espalier.conf: cannot open: No such file"));
  const auto directory = read_config("/");
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().text(), HasSubstr("cannot read: Is a directory"));
}

TEST(Config, KnowsWhichFilesRunsRead) {
  const auto config = parse_config(
      "host_order /etc/a,/etc/b:2\nflows_file /etc/flows\nnode_types /etc/types\nmetrics_file /run/metrics\n", "conf");
  ASSERT_TRUE(config);
  EXPECT_THAT(input_files(*config), UnorderedElementsAre("/etc/a", "/etc/b", "/etc/flows", "/etc/types"));
  EXPECT_TRUE(input_files({}).empty());
}

TEST(Config, KnowsWhichFoldersAreMissing) {
  const auto wrong_with = [](const std::string& text) {
    const auto config = parse_config(text, "conf");
    return config ? missing_folder(*config) : config.error().text();
  };
  EXPECT_EQ(wrong_with("performance_log /nonexistent/log/runs"),
            "performance_log /nonexistent/log/runs: there is no folder /nonexistent/log; create it");
  EXPECT_THAT(wrong_with("state_directory /nonexistent/state/"), HasSubstr("there is no folder /nonexistent;"));
  EXPECT_THAT(wrong_with("metrics_file /dev/null/metrics"), HasSubstr("there is no folder /dev/null;"));
  EXPECT_EQ(wrong_with("state_directory /tmp/nobody-made-this/\nmetrics_file metrics\nperformance_log /runs"), "");
}

TEST(Config, SkipsAByteOrderMark) {
  const auto config = parse_config("\xEF\xBB\xBFthreads 3\r\nseed 2\r\n", "conf");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->threads, 3U);
}

class ConfigFile : public test::OwnDirectory {};

TEST_F(ConfigFile, MayBeEmpty) {
  std::ofstream(path_).close();
  EXPECT_TRUE(read_config(path_.string()));
}

TEST_F(ConfigFile, IsReadAnewWhereItsTextIsNew) {
  const auto written = [&](const char* text) { std::ofstream(path_) << text; };
  LastConfig last;
  written("threads 3\n");
  EXPECT_EQ(last.read(path_.string())->threads, 3U);
  EXPECT_EQ(last.read(path_.string())->threads, 3U);
  written("threads 4\n");
  EXPECT_EQ(last.read(path_.string())->threads, 4U);
  written("threads four\n");
  EXPECT_FALSE(last.read(path_.string()));
  EXPECT_FALSE(last.read(path_.string()));
  std::filesystem::remove(path_);
  EXPECT_THAT(last.read(path_.string()).error().text(), HasSubstr("event_plugin_options"));
  written("threads four\n");
  EXPECT_THAT(last.read(path_.string()).error().text(), HasSubstr("four"));
}

// OpenSM would wait for its writer, under the lock.
TEST_F(ConfigFile, IsNoFifo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto config = read_config(path_.string());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().text(), HasSubstr("is not a regular file; event_plugin_options"));
}

// The three lines of README.md have to work where nothing was installed to /etc.
TEST(Config, NeedsNoDefaultFile) {
  const bool installed = ::access(kDefaultPath, F_OK) == 0;
  EXPECT_EQ(*read_config(kDefaultPath), installed ? *read_config("") : PluginConfig{});
}

}  // namespace
}  // namespace espalier
