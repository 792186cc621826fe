// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate`. The sharing itself is tested in tests/simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/drawing.h"
#include "tests/tools/on_two_leaves.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class Simulate : public OnTwoLeaves {
 protected:
  Simulate() : OnTwoLeaves("simulate") {}
};

// Shift by 4: all eight hosts cross, two to a link.
TEST_F(Simulate, takes_twice_as_long_where_two_flows_share_every_link) {
  write("cross", "h0 h4\nh1 h5\nh2 h6\nh3 h7\nh4 h0\nh5 h1\nh6 h2\nh7 h3\n");
  for (const char* load : {"phases", "streams", "full"}) {
    const Json json = measured(std::string("--patterns matrix:cross --load ") + load);
    EXPECT_NEAR(json.at("throughput"), 0.5, 1e-6) << load;
    EXPECT_EQ(json.at("transfers"), 8);
  }
}

TEST_F(Simulate, splits_flows_over_all_lids) {
  write("flows", "h0 h4\nh1 h5\n");
  EXPECT_EQ(measured("--patterns matrix:flows --lid-offset all").at("transfers"), 4);
  run_well("generate pgft '2;2,2;1,2;1,1' -o tree");
  run_well("route tree --engine dmodc --lmc 2 -o tree.lfts");
  EXPECT_THAT(run_well("simulate tree tree.lfts --lmc 2 --patterns sp --lid-offset all"),
              HasSubstr("transfers            48"));
}

// D-mod-K reaches h4 and h6 by the same root: two hosts' worth of link for four flows on one. Their answers go to h0
// to h3 by both roots.
TEST_F(Simulate, tells_the_way_there_from_the_way_back) {
  write("compute", "h0\nh1\nh2\nh3\n");
  write("io", "h4\nh6\n");
  std::istringstream lines(run_well("simulate net lfts --json --patterns phase:compute:io"));
  for (const auto& [traffic, throughput] :
       {std::pair{"phase:compute:io", 0.5}, std::pair{"phase:compute:io back", 1.0}}) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const Json result = Json::parse(line);
    EXPECT_EQ(result.at("traffic"), traffic);
    EXPECT_EQ(result.at("phases"), 2);
    EXPECT_EQ(result.at("transfers"), 8);
    EXPECT_NEAR(result.at("throughput"), throughput, 1e-6) << traffic;
  }
}

// One of two transfers has no route: the other has its link for itself, and takes all the time that there is.
TEST_F(Simulate, counts_only_what_arrives) {
  std::istringstream whole(read("lfts"));
  std::string lossy;
  for (std::string line; std::getline(whole, line);)
    if (line.find("'h4'") == std::string::npos) lossy += line + "\n";
  write("lossy", lossy);
  write("flows", "h0 h4 9\nh0 h5 1\n");
  for (const char* load : {"phases", "streams"}) {
    const Json json =
        Json::parse(run_well(std::string("simulate net lossy --json --patterns matrix:flows --load ") + load));
    EXPECT_EQ(json.at("undelivered"), 1) << load;
    EXPECT_NEAR(json.at("throughput"), 1, 1e-6) << load;
  }
}

// Bytes beyond 64 bits, and parts of one.
TEST_F(Simulate, takes_transfers_of_any_size) {
  for (const char* weight : {"1e30", "1e-20", "1"}) {
    write("flows", std::string("h0 h4 ") + weight + "\n");
    EXPECT_NEAR(measured("--patterns matrix:flows").at("throughput"), 1, 1e-6) << weight;
  }
  const double usual = measured("--patterns a2a").at("throughput");
  EXPECT_NEAR(measured("--patterns a2a --bytes 1").at("throughput"), usual, 1e-6);
}

TEST_F(Simulate, says_that_full_load_knows_no_weights) {
  const std::string command = "simulate net lfts --json --load full --patterns matrix:flows";
  write("flows", "h0 h4 9\nh1 h5 1\n");
  EXPECT_THAT(run(command).err, HasSubstr("--load full knows no weights"));
  write("flows", "h0 h4 3\nh1 h5 3\n");
  EXPECT_EQ(run(command).err, "");
}

TEST_F(Simulate, lets_switches_take_part) {
  EXPECT_EQ(measured("--patterns a2a --load full --with-switches").at("transfers"), 12 * 11);
}

// It was read beyond the LIDs that there are, or sent to other hosts than the schedule means.
TEST_F(Simulate, refuses_a_schedule_for_other_lids) {
  run_well("schedule net --lmc 2 -o of_two");
  run_well("schedule net --lmc 1 -o of_one --lfts lfts");
  EXPECT_THAT(refusal("--schedule of_two"), HasSubstr("the schedule was made for --lmc 2"));
}

// Seven phases for eight servers, each at full rate: no two flows share a link.
TEST_F(Simulate, runs_a_schedule_at_full_rate) {
  run_well("schedule net --lmc 1 -o s --lfts lfts");
  const Json json = measured("--schedule s");
  EXPECT_GE(json.at("phases"), 7);
  EXPECT_NEAR(json.at("throughput"), 1, 1e-6);
}

TEST_F(Simulate, warns_of_transfers_that_do_not_arrive) {
  write("flows", "h0 h4\nh1 h5\n");
  run_well("degrade net --links 4 -o cut");
  const Outcome outcome = run("simulate cut lfts --json --patterns matrix:flows");
  EXPECT_EQ(Json::parse(outcome.out).at("undelivered"), 2);
  EXPECT_THAT(outcome.err, HasSubstr("do not arrive: 2 transfers;"));
}

TEST_F(Simulate, refuses_what_it_cannot_simulate) {
  EXPECT_THAT(refusal(""), HasSubstr("needs either --patterns or --schedule"));
  EXPECT_THAT(refusal("--patterns sp --schedule s"), HasSubstr("needs either --patterns or --schedule"));
  EXPECT_THAT(refusal("--patterns nonsense"), HasSubstr("nonsense"));
  EXPECT_THAT(refusal("--patterns sp --classify"), HasSubstr("--packets"));
  EXPECT_THAT(refusal("--patterns sp --io-guids g"), HasSubstr("--io-guids is for --patterns phase:A:B"));
  EXPECT_THAT(refusal("--schedule s --lid-offset all"), HasSubstr("--lid-offset is for traffic other than --schedule"));
  write("other", draw("L0:2", 0));
  run_well("schedule net --lmc 1 -o s");
  EXPECT_THAT(run("simulate other lfts --schedule s").err, HasSubstr("espalier:"));
}

TEST_F(Simulate, says_what_each_pattern_costs) {
  std::istringstream lines(run_well("simulate net lfts --json --patterns sp,a2a,rp:3,biring:2,scatter,gather"));
  std::vector<Json> results;
  for (std::string line; std::getline(lines, line);) results.push_back(Json::parse(line));
  ASSERT_EQ(results.size(), 6U);
  EXPECT_EQ(results[0].at("phases"), 7);
  EXPECT_EQ(results[0].at("transfers"), 56);
  EXPECT_EQ(results[1].at("transfers"), 56);
  EXPECT_EQ(results[2].at("phases"), 3);
  EXPECT_EQ(results[3].at("transfers"), 32);
  EXPECT_EQ(results[4].at("phases"), 8);
  for (const Json& result : results) {
    EXPECT_GT(result.at("seconds"), 0);
    EXPECT_GT(result.at("throughput"), 0.3);
    EXPECT_LE(result.at("throughput"), 1 + 1e-9);
    EXPECT_EQ(result.at("undelivered"), 0);
  }
  EXPECT_NEAR(results[5].at("throughput"), 1, 1e-9);  // a receiver's link is narrower than the roots
}

}  // namespace
}  // namespace espalier::test
