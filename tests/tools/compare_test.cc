// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Campaigns of our own engines; those with OpenSM are tests/opensm/compare.sh.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Json> records_of(const std::string& text) {
  std::vector<Json> records;
  for (const std::string& line : lines_of(text)) records.push_back(Json::parse(line));
  return records;
}

// What a record says apart from what differs between two runs: times and memory.
Json without_measurement(Json record) {
  for (const char* field : {"ms", "cpu_ms", "rank_ms", "route_ms", "verify_ms", "search_ms", "peak_kib"})
    record.erase(field);
  return record;
}

// 1 + 3 * 2 runs on a tree of 16 links.
const std::string kCampaign =
    "compare tree --engines dmodc --damage links:0,2,5,switches:1 --trials 2 --patterns a2a,rp:20 ";

class Compare : public EspalierCommand {
 protected:
  Compare() { run_well("generate pgft '2;4,4;1,4;1,1' -o tree"); }
};

TEST_F(Compare, tells_types_to_gxmodk_and_to_phases_and_takes_other_types_for_another_run) {
  const std::string campaign =
      "compare tree --engines gxmodk,dmodc --patterns phase:compute:io --node-types rules --json records";
  write("rules", "io name 3$\nothers compute\n");
  run_well(campaign);
  run_well(campaign);
  EXPECT_THAT(records_of(read("records")), SizeIs(2));
  write("rules", "io name 2$\nothers compute\n");
  run_well(campaign);
  const std::vector<Json> records = records_of(read("records"));
  ASSERT_THAT(records, SizeIs(4));
  for (const Json& record : records) EXPECT_TRUE(record.contains("mu_phase_max")) << record;
}

TEST_F(Compare, records_who_routed_how_well_how_fast) {
  run_well(kCampaign + "--json records");
  const std::vector<Json> records = records_of(read("records"));
  ASSERT_THAT(records, SizeIs(7));
  for (const Json& record : records) {
    EXPECT_EQ(record.at("fabric"), "tree");
    EXPECT_EQ(record.at("engine"), "dmodc");
    EXPECT_EQ(record.at("engine_used"), "dmodc");
    EXPECT_EQ(record.at("via"), "library");
    EXPECT_EQ(record.at("outcome"), "routed");
    EXPECT_EQ(record.at("sound"), true);
    EXPECT_EQ(record.at("wrong_entries"), 0);
    EXPECT_EQ(record.at("credit_loop"), false);
    EXPECT_EQ(record.at("hosts"), 16);
    EXPECT_GT(record.at("peak_kib"), 500);
    EXPECT_GE(record.at("cpu_ms"), 0);
    EXPECT_NEAR(
        record.at("ms").get<double>(),
        record.at("rank_ms").get<double>() + record.at("route_ms").get<double>() + record.at("verify_ms").get<double>(),
        0.01);
  }
  EXPECT_EQ(records[0].at("damage"), "none");
  EXPECT_EQ(records[3].at("damage"), "links");
  EXPECT_EQ(records[3].at("amount"), 5);
  EXPECT_EQ(records[3].at("of"), 16);
  EXPECT_EQ(records[4].at("trial"), 1);
  EXPECT_EQ(records[6].at("switches"), 7) << "one of eight is gone";
}

// The figures are those that analyze shows of balanced with its search; the search is not in `ms`.
TEST_F(Compare, keeps_the_search_of_balanced_apart_from_what_opensm_waits_for) {
  run_well("compare tree --engines balanced,dmodc --damage links:5 --seed 9 --patterns sp --json records");
  run_well("degrade tree --links 5 --seed 9 -o hurt");
  const Json by_hand = Json::parse(run_well("analyze hurt --engine balanced --patterns sp --json"));
  const std::vector<Json> records = records_of(read("records"));
  EXPECT_EQ(records.at(0).at("mu_sp_max"), by_hand.at("mu_sp_max"));
  EXPECT_GT(records.at(0).at("search_ms"), records.at(0).at("route_ms"));
  EXPECT_NEAR(records.at(0).at("ms").get<double>(),
              records.at(0).at("rank_ms").get<double>() + records.at(0).at("route_ms").get<double>() +
                  records.at(0).at("verify_ms").get<double>(),
              0.01);
  EXPECT_FALSE(records.at(1).contains("search_ms")) << "dmodc is done at once";
}

TEST_F(Compare, prints_a_table_also_without_a_file_of_records) {
  const std::vector<std::string> lines =
      lines_of(run_well("compare tree --engines dmodc,balanced --damage links:0,2 --trials 3 --patterns sp,rp:20"));
  ASSERT_EQ(lines.size(), 11U) << "a head, two engines with two damages, six lines of words";
  EXPECT_THAT(lines[0], ::testing::AllOf(HasSubstr("worst shift"), HasSubstr("SM waits     search")));
  EXPECT_THAT(lines[1],
              ::testing::AllOf(StartsWith("tree"), HasSubstr("none"), HasSubstr("dmodc"), HasSubstr("yes     yes")));
  EXPECT_THAT(lines[3], ::testing::AllOf(HasSubstr("2 links"), HasSubstr("3/3     3/3")));
}

TEST_F(Compare, agrees_with_degrade_route_and_analyze) {
  run_well("compare tree --engines dmodc --damage links:5 --trials 3 --seed 7 --patterns a2a --json records");
  run_well("degrade tree --links 5 --seed 9 -o hurt");
  run_well("route hurt --engine dmodc -o lfts");
  const Json by_hand = Json::parse(run_well("analyze hurt lfts --patterns a2a --json"));
  const Json record = records_of(read("records")).at(2);
  for (const auto& [key, value] : by_hand.items()) EXPECT_EQ(record.at(key), value) << key;
}

TEST_F(Compare, judges_traffic_over_all_lids_as_analyze_does) {
  const std::string campaign = "compare tree --engines dmodc --damage links:5 --lmc 1 --patterns sp --json records";
  run_well(campaign);
  run_well(campaign + " --lid-offset all");
  const std::vector<Json> records = records_of(read("records"));
  ASSERT_THAT(records, SizeIs(2)) << "another offset is another run";
  run_well("degrade tree --links 5 --seed 1 -o hurt");
  run_well("route hurt --engine dmodc --lmc 1 -o lfts");
  const Json by_hand = Json::parse(run_well("analyze hurt lfts --lmc 1 --lid-offset all --patterns sp --json"));
  for (const auto& [key, value] : by_hand.items()) EXPECT_EQ(records.at(1).at(key), value) << key;
  EXPECT_NE(records.at(0).at("mu_sp_mean"), records.at(1).at("mu_sp_mean"));
}

// Ranks are those of the whole fabric: a shift means the same in each step.
TEST_F(Compare, orders_hosts_as_in_the_whole_fabric) {
  run_well("compare tree --engines dmodc --damage endports:3 --order lid --patterns sp --json records");
  EXPECT_EQ(records_of(read("records")).at(0).at("hosts"), 13);
}

TEST_F(Compare, goes_on_where_it_was) {
  run_well(kCampaign + "--json whole");
  const std::vector<std::string> all = lines_of(read("whole"));
  const std::string kept = all[0] + '\n' + all[1] + '\n' + all[2] + '\n';
  write("broken", kept + all[3].substr(0, all[3].size() / 2));
  const Outcome outcome = run(kCampaign + "--json broken");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: broken: removing"));
  EXPECT_THAT(read("broken"), StartsWith(kept));
  const std::vector<Json> before = records_of(read("whole"));
  const std::vector<Json> after = records_of(read("broken"));
  ASSERT_THAT(after, SizeIs(before.size()));
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_EQ(without_measurement(after[i]), without_measurement(before[i]));
}

// As those of campaigns before the field had its present name.
TEST_F(Compare, knows_records_that_call_the_trial_a_throw) {
  run_well(kCampaign + "--json records");
  std::string old = read("records");
  for (std::size_t at; (at = old.find("\"trial\"")) != std::string::npos;) old.replace(at, 7, "\"throw\"");
  write("old", old);
  EXPECT_THAT(lines_of(run_well(kCampaign + "--json old --list")), Each(StartsWith("done ")));
}

TEST_F(Compare, does_nothing_twice) {
  run_well(kCampaign + "--json records");
  const std::string once = read("records");
  const Outcome again = run(kCampaign + "--json records");
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.err, IsEmpty());
  EXPECT_EQ(read("records"), once);
  EXPECT_THAT(lines_of(run_well(kCampaign + "--json records --list")), Each(StartsWith("done ")));
}

TEST_F(Compare, runs_again_for_bounds_that_were_not_recorded) {
  const std::string campaign = "compare tree --engines dmodc --json records";
  run_well(campaign);
  run_well(campaign + " --bound");
  const std::vector<Json> records = records_of(read("records"));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_TRUE(records[1].contains("bound"));
  EXPECT_THAT(run_well(campaign + " --bound --list"), StartsWith("done "));
  EXPECT_THAT(run_well(campaign + " --list"), StartsWith("done "));
}

TEST_F(Compare, runs_again_when_the_fabric_is_another_of_the_same_name) {
  run_well(kCampaign + "--json records");
  run_well("generate pgft '2;4,4;1,4;1,2' -o tree");
  EXPECT_THAT(lines_of(run_well(kCampaign + "--json records --list")), Each(StartsWith("to do ")));
}

TEST_F(Compare, divides_all_runs_among_the_shards) {
  const std::string campaign = kCampaign + "--stock minhop,updn --json records --list ";
  std::vector<std::string> all = lines_of(run_well(campaign));
  ASSERT_THAT(all, SizeIs(21));
  std::sort(all.begin(), all.end());
  for (const int shards : {1, 2, 3, 5, 30}) {
    std::vector<std::string> together;
    for (int i = 0; i < shards; ++i) {
      const auto part = lines_of(run_well(campaign + "--shard " + std::to_string(i) + "/" + std::to_string(shards)));
      EXPECT_LE(part.size(), 21U / shards + 1) << "shard " << i << " of " << shards;
      together.insert(together.end(), part.begin(), part.end());
    }
    std::sort(together.begin(), together.end());
    EXPECT_EQ(together, all) << shards << " shards";
  }
  EXPECT_FALSE(exists("records")) << "--list writes nothing";
}

TEST_F(Compare, fills_a_folder_from_several_shards) {
  make_folder("folder");
  run_well(kCampaign + "--json folder --shard 0/2");
  run_well(kCampaign + "--json folder --shard 1/2");
  EXPECT_THAT(records_of(read("folder/shard-0-of-2.jsonl")), SizeIs(3));
  EXPECT_THAT(records_of(read("folder/shard-1-of-2.jsonl")), SizeIs(4));
  EXPECT_THAT(lines_of(run_well(kCampaign + "--json folder --list")), Each(StartsWith("done ")));
}

TEST_F(Compare, leaves_alone_what_another_shard_is_writing) {
  make_folder("folder");
  write("folder/shard-1-of-2.jsonl", "{\"fabric\":");
  run_well(kCampaign + "--json folder --shard 0/2");
  EXPECT_EQ(read("folder/shard-1-of-2.jsonl"), "{\"fabric\":");
}

TEST_F(Compare, refuses_a_file_with_another_writer) {
  write("records", "");
  const int other = ::open(path("records").c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  const Outcome outcome = run(kCampaign + "--json records");
  ::close(other);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("records: another process is writing this file"));
}

TEST_F(Compare, refuses_a_file_that_holds_something_else) {
  // The last one was cut off as an unfinished record once.
  for (const std::string text :
       {"{}\n", "{\"fabric\":1,\"engine\":2,\"outcome\":3}\n", "something\n", "precious, without a newline"}) {
    write("records", text);
    const Outcome outcome = run(kCampaign + "--json records");
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("records:1: this is "), HasSubstr(" a record of a campaign")));
    EXPECT_EQ(read("records"), text);
  }
}

TEST_F(Compare, follows_no_link_to_its_records) {
  write("precious", "");
  std::filesystem::create_symlink("precious", path("records"));
  EXPECT_EQ(run(kCampaign + "--json records").code, 2);
  EXPECT_EQ(read("precious"), "");
}

// Whoever owns the folder of a run writes the opensm.conf that root's OpenSM reads.
TEST_F(Compare, keeps_the_files_of_a_run_from_other_users) {
  write("runner", "#!/bin/sh\nfor folder; do :; done\nstat -c '%a %n' \"$(dirname \"$folder\")\" >>'" +
                      path("folders") + "'\nexit 1\n");
  std::filesystem::permissions(path("runner"), std::filesystem::perms::owner_all);
  make_folder("temporary");
  const std::string campaign =
      "compare tree --stock updn --runner " + path("runner") + " --patterns a2a --json records --retry";
  const auto run_in_own = [&] {
    return run("--version >/dev/null && TMPDIR='" + path("temporary") + "' '" ESPALIER_COMMAND "' " + campaign).code;
  };
  EXPECT_EQ(run_in_own(), 0);
  EXPECT_EQ(run_in_own(), 0);
  const std::vector<std::string> folders = lines_of(read("folders"));
  ASSERT_THAT(folders, SizeIs(2));
  EXPECT_THAT(folders, Each(StartsWith("700 " + path("temporary"))));
  EXPECT_NE(folders[0], folders[1]) << "a name that is known before can be taken before";
  EXPECT_TRUE(std::filesystem::is_empty(path("temporary"))) << "nothing is left";
}

TEST_F(Compare, clears_away_what_a_killed_campaign_left) {
  make_folder("temporary");
  make_folder("temporary/espalier-compare-abcdef");
  std::filesystem::permissions(path("temporary/espalier-compare-abcdef"), std::filesystem::perms::owner_all);
  make_folder("temporary/espalier-compare-foreign");  // not as we make it
  EXPECT_EQ(run("--version >/dev/null && TMPDIR='" + path("temporary") + "' '" ESPALIER_COMMAND "' " + kCampaign +
                "--json records")
                .code,
            0);
  EXPECT_FALSE(exists("temporary/espalier-compare-abcdef"));
  EXPECT_TRUE(exists("temporary/espalier-compare-foreign"));
}

TEST_F(Compare, goes_on_with_names_that_are_not_utf8) {
  const std::string name =
      "tr\xFF"
      "ee";
  std::filesystem::rename(path("tree"), path(name));
  const std::string campaign = "compare '" + name + "' --engines dmodc --patterns a2a --json records";
  run_well(campaign);
  run_well(campaign);
  const std::vector<Json> records = records_of(read("records"));
  ASSERT_THAT(records, SizeIs(1)) << "the second time it is known";
  EXPECT_EQ(records[0].at("fabric"),
            "tr\xEF\xBF\xBD"
            "ee");
}

TEST_F(Compare, records_a_run_that_fails_and_repeats_it_when_asked) {
  const std::string campaign = "compare tree --stock updn --runner /bin/false --patterns a2a --json records ";
  run_well(campaign);
  EXPECT_THAT(run_well(campaign + "--list"), StartsWith("done "));
  EXPECT_THAT(run_well(campaign + "--list --retry"), StartsWith("to do "));
  const Json record = records_of(read("records")).at(0);
  EXPECT_EQ(record.at("outcome"), "failed");
  EXPECT_THAT(record.at("reason"),
              HasSubstr("OpenSM did not bring the subnet up: /bin/false ended with code 1 and printed nothing"));
}

TEST_F(Compare, refuses_what_it_cannot_do) {
  for (const char* arguments :
       {"compare tree", "compare tree --json r", "compare tree --engines nobody --json r",
        "compare tree --engines dmodc --damage links:17 --json r", "compare tree --engines dmodc --shard 2/2 --json r",
        "compare tree --engines dmodc --shard 1 --json r",
        "compare tree --engines dmodc --shard 4294967296/4294967297 --json r",
        "compare tree --engines dmodc --shard 0/+1 --json r", "compare tree --engines dmodc --shard 0/2x --json r",
        "compare tree --engines dmodc --patterns frobnicate --json r", "compare none --engines dmodc --json r",
        "compare tree --engines dmodc --json no/such/folder/r"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("espalier: ")) << arguments;
  }
}

}  // namespace
}  // namespace espalier::test
