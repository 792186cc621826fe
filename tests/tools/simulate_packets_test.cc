// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate --packets`. The model itself is tested in tests/packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/drawing.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using Json = nlohmann::json;

class SimulatePackets : public EspalierCommand {
 protected:
  [[nodiscard]] Json simulated(const std::string& arguments) const {
    return Json::parse(run_well("simulate --packets --json --cycles 2000 " + arguments));
  }
  [[nodiscard]] Json finished(const std::string& arguments) const {
    return Json::parse(run_well("simulate --packets --json " + arguments));
  }
  [[nodiscard]] std::string refusal(const std::string& arguments) const {
    const Outcome outcome = run("simulate --packets " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.err;
  }
};

class SimulatePacketsOnADragonfly : public SimulatePackets {
 protected:
  void SetUp() override { run_well("generate dragonfly 2,4,2,9 -o net"); }
};

TEST_F(SimulatePacketsOnADragonfly, answers_with_the_keys_that_scripts_read) {
  const Json json =
      simulated("net --policy olm --traffic advg:1 --load 0.2 --seed 1001 --switching vct --packet-phits 8");
  for (const char* key :
       {"throughput", "offered", "latency_mean", "hops_mean", "cycles", "packet_hops", "cpu_s", "deadlock"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_NEAR(json["throughput"].get<double>(), 0.2, 0.02);
  EXPECT_EQ(json["offered"], 0.2);
  EXPECT_EQ(json["deadlock"], false);
  EXPECT_EQ(json["steady"], true);
}

// By cabling alone it might have two groups, grids of 3 x 4: router i of each group is cabled to router i of all others.
TEST_F(SimulatePacketsOnADragonfly, takes_groups_by_names_where_the_cabling_can_be_read_in_two_ways) {
  run_well("generate dragonfly '2,6,3,4;2,3,1,2' -o grids");
  EXPECT_GT(simulated("grids --policy min --traffic advg:2 --load 0.1")["delivered"], 0);
}

TEST_F(SimulatePacketsOnADragonfly, says_that_more_is_offered_than_carried) {
  const Outcome outcome = run("simulate net --packets --policy min --traffic advg:1 --load 0.5 --json --cycles 4000");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("did not reach a steady state"));
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["steady"], false);
  EXPECT_NEAR(json["throughput"].get<double>(), 1.0 / 8, 0.01);  // 1 / 2h^2
}

// Some of the flows of this shift do not get through. Of 0.3 that is offered 0.25 arrive, at latencies that hardly grow.
TEST_F(SimulatePacketsOnADragonfly, says_that_some_flows_get_less_than_they_offer) {
  EXPECT_EQ(simulated("net --policy min --traffic shift:8 --load 0.3")["steady"], false);
  EXPECT_EQ(simulated("net --policy min --traffic shift:8 --load 0.1")["steady"], true);
}

// The runs differ, and their spread is the interval.
TEST_F(SimulatePacketsOnADragonfly, runs_several_seeds) {
  const Json one = simulated("net --policy valiant --load 0.3 --seed 1001");
  const Json three = simulated("net --policy valiant --load 0.3 --seed 1001 --runs 3");
  EXPECT_EQ(three["runs"], 3);
  EXPECT_GT(three["throughput_ci95"].get<double>(), 0);
  EXPECT_GT(three["packet_hops"].get<double>(), 2.5 * one["packet_hops"].get<double>());
  EXPECT_EQ(three["packet_hops"], simulated("net --policy valiant --load 0.3 --seed 1001 --runs 3")["packet_hops"]);
}

TEST_F(SimulatePacketsOnADragonfly, runs_several_loads) {
  const std::string all = run_well("simulate net --packets --policy min --load 0.1,0.25 --cycles 1000 --json");
  std::istringstream lines(all);
  for (const char* load : {"0.1", "0.25"}) {
    std::string line;
    std::getline(lines, line);
    Json json = Json::parse(line);
    Json alone =
        Json::parse(run_well(std::string("simulate net --packets --policy min --cycles 1000 --json --load ") + load));
    for (Json* each : {&json, &alone}) each->erase("cpu_s");
    EXPECT_EQ(json, alone);
  }
  EXPECT_THAT(refusal("net --policy min --load 0.1,2"), HasSubstr("--load 2 is not a load"));
  EXPECT_THAT(refusal("net --policy ugal-l --load 0.1,0.2 --record-paths p"), HasSubstr("single --load"));
}

TEST_F(SimulatePacketsOnADragonfly, refuses_what_it_cannot_simulate) {
  EXPECT_THAT(refusal("net --policy olm"), HasSubstr("--packets needs a --load"));
  EXPECT_THAT(refusal("net --policy olm --load 1.5"), HasSubstr("not a load"));
  EXPECT_THAT(refusal("net --policy nobody --load 0.5"), HasSubstr("unknown policy"));
  EXPECT_THAT(refusal("net --policy olm --switching wormhole --load 0.5"), HasSubstr("deadlock"));
  EXPECT_THAT(refusal("net --policy min --traffic advg:9 --load 0.5"), HasSubstr("advg:9 stays in its group"));
  EXPECT_THAT(refusal("net --policy min --traffic storm --load 0.5"), HasSubstr("storm"));
  EXPECT_THAT(refusal("net --policy min --preset nobody --load 0.5"), HasSubstr("preset"));
  EXPECT_THAT(refusal("net --load 0.5"), HasSubstr("--policy"));
  EXPECT_THAT(refusal("net --policy min --packet-phits 100 --load 0.5"), HasSubstr("buffer"));
}

// All nodes of a group to the next group: half a phit of each, adversarial for the routers whose link it is.
TEST_F(SimulatePacketsOnADragonfly, gives_back_the_paths_that_it_wrote_down) {
  const Json ugal = simulated("net --policy ugal-l --traffic shift:8 --load 0.3 --record-paths taken");
  const Json again = simulated("net --paths taken --traffic shift:8 --load 0.3");
  EXPECT_EQ(again["policy"], "paths");
  EXPECT_EQ(again["undelivered"], 0);
  EXPECT_NEAR(again["hops_mean"].get<double>(), ugal["hops_mean"].get<double>(), 0.2);
  EXPECT_THAT(refusal("net --policy ugal-l --traffic un --load 1e-9 --cycles 10 --warmup 0 --record-paths taken"),
              HasSubstr("taken: no packet has chosen a path"));
  EXPECT_THAT(refusal("net --policy paths --traffic un --load 0.1"), HasSubstr("--paths"));
  EXPECT_THAT(refusal("net --policy olm --paths taken --load 0.1"), HasSubstr("omit --policy"));
}

TEST_F(SimulatePacketsOnADragonfly, sends_packets_on_the_paths_of_a_linear_program) {
  run_well(
      "throughput net --paths min+vlb --flows shift:8 --model mmf --tie-detours --write-paths best --order topology");
  const Json best = simulated("net --paths best --traffic shift:8 --load 0.3");
  EXPECT_EQ(best["undelivered"], 0);
  EXPECT_NEAR(best["throughput"].get<double>(), 0.3, 0.02);
  EXPECT_LT(simulated("net --policy min --traffic shift:8 --load 0.3")["throughput"].get<double>(), 0.27);
}

TEST_F(SimulatePacketsOnADragonfly, says_what_tpr_makes_of_a_matrix) {
  const Json shift = finished("net --classify --traffic shift:8 --load 1");
  double share = 0;
  bool adversarial = false;
  for (const Json& cell : shift["cells"]) {
    share += cell["share"].get<double>();
    adversarial = adversarial || (cell["local"] == "adversarial" && cell["treatment"] == "Valiant");
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(adversarial);
  const Json calm = finished("net --classify --traffic permutation:0 --load 0.1");
  ASSERT_FALSE(calm["cells"].empty());
  for (const Json& cell : calm["cells"]) EXPECT_EQ(cell["local"], "benign");
  EXPECT_THAT(refusal("net --classify --traffic un --load 0.1"), HasSubstr("needs flows"));
  // Some groups have no link to each other: their flows pass a third.
  run_well("generate dragonfly 2,4,2,9 --arrangement random --seed 3 -o whole");
  run_well("degrade whole --links 14 --switches 0 --seed 5 -o damaged");
  EXPECT_FALSE(finished("damaged --classify --traffic shift:8 --load 0.6")["cells"].empty());
}

// Cascade in small: grids of 3 x 4 routers, columns by two links.
// These tables rely on their virtual lanes: with all packets on one lane they jam at once.
TEST_F(SimulatePacketsOnADragonfly, puts_packets_on_the_lanes_of_the_tables) {
  run_well("route net --engine dragonfly-rlm --lmc 2 --lanes lanes -o lfts");
  for (const std::string traffic : {"un", "advg:1"})
    for (const std::string switching : {"vct", "wormhole"}) {
      const std::string how =
          "--lid-offset all --load 1 --seed 1001 --traffic " + traffic + " --switching " + switching;
      const Json lanes = simulated("net lfts --lanes lanes " + how);
      EXPECT_EQ(lanes["deadlock"], false) << how;
      EXPECT_EQ(lanes["undelivered"], 0) << how;
      EXPECT_GT(lanes["throughput"].get<double>(), 0.25) << how;
      EXPECT_EQ(finished("net lfts --cycles 10000 " + how)["deadlock"], true) << how;
    }
  const std::string by_first = "net lfts --lanes lanes --load 0.3 --seed 1001 --traffic advg:1";
  EXPECT_NEAR(simulated(by_first)["throughput"].get<double>(), 1.0 / 8, 0.01);  // minimal routing: 1 / 2h^2
  EXPECT_NEAR(simulated(by_first + " --lid-offset all")["throughput"].get<double>(), 0.3, 0.02);
}

// As `simulate` of flows and `verify` do.
TEST_F(SimulatePacketsOnADragonfly, puts_packets_on_the_lanes_of_an_engine) {
  const std::string run = "--lid-offset all --load 1 --seed 1001 --traffic advg:1";
  run_well("route net --engine dragonfly-rlm --lmc 2 --lanes lanes -o lfts");
  Json by_files = simulated("net lfts --lanes lanes " + run);
  Json by_engine = simulated("net --engine dragonfly-rlm --lmc 2 " + run);
  EXPECT_EQ(by_engine["deadlock"], false);
  for (Json* json : {&by_files, &by_engine}) json->erase("cpu_s");
  EXPECT_EQ(by_engine, by_files);
}

TEST_F(SimulatePacketsOnADragonfly, refuses_lanes_of_another_fabric) {
  run_well("route net --engine dragonfly-rlm --lmc 2 --lanes lanes -o lfts");
  run_well("generate dragonfly 1,2,1,3 -o small");
  run_well("route small --engine dmodc -o small.lfts");
  EXPECT_THAT(refusal("small small.lfts --lanes lanes"), HasSubstr("lanes"));
}

// BookSim2's `dragonflynew` with k = 4 and UGAL at 0.3 has 4.066 and 3.98 mean hops with packets of 1 and 8 flits, and
// counts routers.
TEST_F(SimulatePackets, has_the_hops_of_booksim2) {
  run_well("generate dragonfly 4,8,4,33 -o net");
  const std::string run = "net --policy ugal-l --preset booksim2 --load 0.3 --seed 1001 --warmup 600 --cycles 600";
  EXPECT_NEAR(finished(run)["hops_mean"].get<double>(), 3.066, 0.03 * 4.066);
  EXPECT_NEAR(finished(run + " --packet-phits 8")["hops_mean"].get<double>(), 2.98, 0.03 * 3.98);
}

TEST_F(SimulatePackets, knows_groups_that_are_grids) {
  run_well("generate dragonfly '2,12,3,4;3,4,1,2' -o net");
  for (const char* policy : {"min", "valiant", "ugal-l", "ugal-g", "pb", "crt", "tpr"}) {
    for (const std::string level : {"group", "router"}) {
      const std::string by = std::string_view(policy) == "min" ? "" : " --valiant " + level;
      const Json json = simulated(std::string("net --traffic un --load 0.1 --policy ") + policy + by);
      EXPECT_NEAR(json["throughput"].get<double>(), 0.1, 0.01) << policy << level;
      EXPECT_EQ(json["deadlock"], false);
      EXPECT_LE(json["hops_mean"].get<double>(), 12) << policy << level;
    }
  }
  EXPECT_LE(simulated("net --policy min --load 0.1")["hops_mean"].get<double>(), 5);
  EXPECT_THAT(refusal("net --policy olm --load 0.1"), HasSubstr("grids"));
}

// In grids routers have several exits to a group. What is compared is the exit that the packet takes, not another random
// one: then the two queues say little of each other, and at a load that minimal paths carry 45 % of the packets go astray.
TEST_F(SimulatePackets, compares_the_exits_that_packets_take) {
  run_well("generate dragonfly '2,16,4,5;4,4,1,1' -o grids");
  const std::string run = "grids --warmup 1500 --preset faizian --traffic advg:1 --load 0.2 --seed 1001 --policy ";
  const Json minimal = simulated(run + "min");
  const Json ugal = simulated(run + "ugal-l");
  EXPECT_NEAR(minimal["throughput"].get<double>(), 0.2, 0.01);
  EXPECT_NEAR(ugal["throughput"].get<double>(), 0.2, 0.01);
  EXPECT_LT(ugal["misrouted"].get<double>(), 0.3);
}

// Two leaves with four hosts each and two roots, which D-mod-K uses alike: half of what is sent across gets through.
class SimulatePacketsOnATree : public SimulatePackets {
 protected:
  void SetUp() override {
    write("net", draw("L0:4 L1:4 ; L0-S0 L1-S0 L0-S1 L1-S1", 1));
    run_well("route net --engine dmodc --lmc 1 -o lfts");
  }
};

TEST_F(SimulatePacketsOnATree, follows_tables) {
  const Json json = simulated("net lfts --traffic shift:4 --load 1");
  EXPECT_EQ(json["policy"], "tables");
  EXPECT_NEAR(json["throughput"].get<double>(), 0.5, 0.02);
  EXPECT_EQ(json["hops_mean"], 2);
}

// h0 and h1 to hosts that one root serves by their base LIDs: with both LIDs, both roots.
TEST_F(SimulatePacketsOnATree, takes_the_lids_that_it_is_told) {
  write("flows", "h0 h4\nh1 h6\n");
  EXPECT_NEAR(simulated("net lfts --traffic matrix:flows --load 1")["throughput"].get<double>(), 1.0 / 8, 0.01);
  EXPECT_GT(simulated("net lfts --traffic matrix:flows --load 1 --lid-offset all")["throughput"].get<double>(), 0.15);
  write("offsets", "h1 h6 1\n");
  EXPECT_NEAR(simulated("net lfts --traffic matrix:flows --load 1 --lid-offset offsets")["throughput"].get<double>(),
              0.25, 0.01);
}

TEST_F(SimulatePacketsOnATree, adapts_where_tables_put_two_flows_on_one_link) {
  write("flows", "h0 h4\nh1 h6\n");
  const double tables = simulated("net lfts --traffic matrix:flows --load 1")["throughput"];
  const double adaptive = simulated("net lfts --policy adaptive --traffic matrix:flows --load 1")["throughput"];
  EXPECT_NEAR(adaptive, 2 * tables, 0.02);
}

TEST_F(SimulatePacketsOnATree, lets_switches_take_part) {
  const Json hosts = finished("net lfts --load 0.2 --cycles 8000");
  const Json all = finished("net lfts --load 0.2 --with-switches --switch-rate 0.125 --cycles 8000");
  EXPECT_EQ(all["undelivered"], 0);
  EXPECT_GT(all["delivered"].get<int>(), hosts["delivered"].get<int>());
  // 8 hosts with a load of 0.2, and 4 switches with an eighth of it.
  EXPECT_NEAR(all["throughput"].get<double>(), 0.2 * (8 + 4 * 0.125) / 12, 0.015);
}

// At full rate of port 0, and a load of their own that the hosts' does not follow.
TEST_F(SimulatePacketsOnATree, gives_switches_a_load_of_their_own) {
  const std::string run = "net lfts --load 0.2 --with-switches --cycles 8000";
  const Json busy = finished(run + " --switch-load 0.4");
  EXPECT_NEAR(busy["throughput_hosts"].get<double>(), 0.2, 0.015);
  EXPECT_NEAR(busy["throughput_switches"].get<double>(), 0.4, 0.03);
  EXPECT_NEAR(busy["throughput"].get<double>(), (8 * 0.2 + 4 * 0.4) / 12, 0.015);
  const Json idle = finished(run + " --switch-load 0");
  EXPECT_NEAR(idle["throughput_hosts"].get<double>(), 0.2, 0.015);
  EXPECT_EQ(idle["throughput_switches"], 0);
  EXPECT_FALSE(simulated("net lfts --load 0.2").contains("throughput_switches"));
}

TEST_F(SimulatePacketsOnATree, answers_loads_that_switches_cannot_have) {
  EXPECT_THAT(refusal("net lfts --load 0.2 --switch-load 0.1"), HasSubstr("--with-switches"));
  EXPECT_THAT(refusal("net lfts --load 0.2 --with-switches --switch-rate 0.125 --switch-load 0.2"),
              HasSubstr("--switch-rate"));
  EXPECT_THAT(refusal("net lfts --traffic burst:5:un --with-switches --switch-load 0.2"), HasSubstr("burst"));
}

TEST_F(SimulatePacketsOnATree, runs_phases_with_barriers_and_schedules) {
  const Json phases = finished("net lfts --patterns sp --load phases --bytes 4096");
  EXPECT_EQ(phases["finished"], true);
  EXPECT_EQ(phases["phases"], 7);
  run_well("schedule net --lmc 1 -o s --lfts s.lfts");
  const Json schedule = finished("net s.lfts --schedule s --bytes 4096");
  EXPECT_EQ(schedule["finished"], true);
  EXPECT_EQ(schedule["undelivered"], 0);
}

TEST_F(SimulatePacketsOnATree, changes_tables_in_the_middle_of_a_run) {
  run_well("route net --engine sftree --lmc 1 -o other");
  const Json json = simulated("net lfts --then other --change-over 500 --load 0.2");
  EXPECT_EQ(json["deadlock"], false);
  EXPECT_EQ(json["undelivered"], 0);
  EXPECT_EQ(json["steady"], true);
  EXPECT_THAT(refusal("net lfts --policy adaptive --then other --load 0.2"), HasSubstr("--then"));
  EXPECT_EQ(simulated("net --engine dmodc --then other --change-over 500 --load 0.2")["undelivered"], 0);
  write("bare", draw("L0:4 L1:4 ; L0-S0 L1-S0 L0-S1 L1-S1"));
  run_well("route bare --engine sftree -o single");
  run_well("route bare --engine sftree --lmc 1 -o pairs");
  EXPECT_THAT(refusal("bare pairs --then single --load 0.2"), HasSubstr("single: made with another LMC than pairs"));
}

// What h1 sends to h4 is lost at the root: what it took there is free again, however credits are counted.
TEST_F(SimulatePacketsOnATree, frees_the_room_of_packets_that_it_drops) {
  run_well("route net --engine dmodc -o whole.lfts");
  std::istringstream whole(read("whole.lfts"));
  std::string lossy;
  bool root = false;
  for (std::string line; std::getline(whole, line);) {
    if (line.starts_with("Unicast")) root = line.find("('S") != std::string::npos;
    if (!root || line.find("'h4'") == std::string::npos) lossy += line + "\n";
  }
  write("lossy.lfts", lossy);
  const Json by_packet = simulated("net lossy.lfts --load 0.3 --credits packet");
  const Json by_phit = simulated("net lossy.lfts --load 0.3 --credits phit");
  EXPECT_GT(by_packet["undelivered"].get<int>(), 20);
  EXPECT_GT(by_phit["undelivered"].get<int>(), 20);
  EXPECT_NEAR(by_phit["throughput"].get<double>(), by_packet["throughput"].get<double>(), 0.03);
  EXPECT_THAT(refusal("net lossy.lfts --load 0.3 --switching wormhole"), HasSubstr("espalier verify"));
}

TEST_F(SimulatePacketsOnATree, ends_at_once_where_nobody_sends) {
  write("flows", "h0 h4 0\n");
  const Json json = finished("net lfts --patterns matrix:flows");
  EXPECT_EQ(json["finished"], true);
  EXPECT_EQ(json["cycles"], 0);
}

// Throughput is what was delivered by the time that it took, not by that of the next look at the clock.
TEST_F(SimulatePacketsOnATree, divides_a_burst_by_the_cycles_that_it_took) {
  const Json json = finished("net lfts --traffic burst:5:un");
  EXPECT_NEAR(json["throughput"].get<double>() * json["measured"].get<double>(), 5 * 8, 1e-6);
  const Json cut = finished("net lfts --traffic burst:5:un --cycles 3");
  EXPECT_EQ(cut["finished"], false);
  EXPECT_EQ(cut["cycles"], 3);
}

TEST_F(SimulatePacketsOnATree, refuses_packets_that_take_too_long_on_a_slow_port) {
  EXPECT_THAT(refusal("net lfts --load 0.1 --with-switches --switch-rate 0.001 --packet-phits 80 --local-buffer 80 "
                      "--injection-buffer 80 --global-buffer 80"),
              HasSubstr("--switch-rate"));
}

TEST_F(SimulatePackets, refuses_links_that_adaptive_would_not_see) {
  run_well("generate pgft '2;62,2;1,4;1,1' -o net");
  EXPECT_THAT(refusal("net --policy adaptive --load 0.1"), HasSubstr("64 links"));
}

TEST_F(SimulatePackets, refuses_traffic_of_nobody) {
  run_well("generate pgft '1;2;1;1' -o pair");
  run_well("degrade pair --endports 2 -o empty");
  run_well("route empty --engine layers -o lfts");
  EXPECT_THAT(refusal("empty lfts --traffic shift:1 --load 0.1"), HasSubstr("no hosts"));
}

TEST_F(SimulatePacketsOnADragonfly, divides_any_packet_into_flits) {
  const std::string wormhole = "net --policy rlm --switching wormhole --load 0.1 --packet-phits ";
  for (const char* phits : {"7", "8", "80"}) EXPECT_GT(simulated(wormhole + phits)["throughput"], 0.05) << phits;
  EXPECT_THAT(refusal(wormhole + "8 --flit-phits 3"), HasSubstr("whole number of flits"));
}

// With two groups advg:2 goes back to where it came from, and with one router in each so does advl:1.
TEST_F(SimulatePackets, refuses_mixed_traffic_that_stays_where_it_is) {
  run_well("generate dragonfly 2,4,2,2 -o two");
  EXPECT_THAT(refusal("two --policy min --traffic mixed:0.5 --load 0.1"), HasSubstr("advg:2"));
  run_well("generate dragonfly 1,1,1,2 -o lone");
  EXPECT_THAT(refusal("lone --policy min --traffic mixed:0 --load 0.1"), HasSubstr("advl:1"));
}

}  // namespace
}  // namespace espalier::test
