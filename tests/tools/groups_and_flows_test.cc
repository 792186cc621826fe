// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the command says of dragonflies: groups by cabling and by names, alternative ports, lanes, recorded flows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class OnDragonfly : public EspalierCommand {
 protected:
  void SetUp() override { run_well("generate dragonfly 2,4,2,9 -o net"); }
};

TEST_F(OnDragonfly, rank_shows_groups_and_compares_them_with_names) {
  const json shape = json::parse(run_well("rank net --group-names 'group (\\d+)' --json"))["dragonfly"];
  EXPECT_EQ(shape["groups"].size(), 9U);
  EXPECT_EQ(shape["groups"][4]["name"], "4");
  EXPECT_EQ(shape["groups"][4]["local_links"], 6);
  EXPECT_TRUE(shape["wrong_groups"].empty());
  write("groups", "0x0002c90001000005 7\n");
  const json renamed =
      json::parse(run_well("rank net --group-names 'group (\\d+)' --groups groups --json"))["dragonfly"];
  ASSERT_EQ(renamed["wrong_groups"].size(), 1U);
  EXPECT_THAT(renamed["wrong_groups"][0].get<std::string>(),
              HasSubstr("is said to be in group 7, but is cabled as one of group 1"));
  EXPECT_THAT(refusal_of("rank net --group-names nobody"), HasSubstr("matches the description of no switch"));
  write("bad", "0x17 7\n");
  EXPECT_THAT(refusal_of("rank net --groups bad"), HasSubstr("bad:1: there is no switch 0x0000000000000017"));
}

TEST_F(OnDragonfly, check_finds_missing_links_of_groups) {
  EXPECT_EQ(run("check net").code, 0);
  run_well("degrade net --remove 0x0002c90001000000/3 -o local");
  EXPECT_THAT(run("check local").out, HasSubstr("missing local link"));
  run_well("degrade net --remove 0x0002c90001000000/6 -o global");
  EXPECT_THAT(run("check global").out, HasSubstr("missing global link: group 0 and group 1 are joined by 0 links"));
}

TEST_F(OnDragonfly, slurm_gets_a_switch_for_each_group) {
  EXPECT_THAT(run_well("convert net --to slurm"), HasSubstr("SwitchName=group_8 Switches=group_8_router_[0-3]\n"));
}

TEST_F(OnDragonfly, alternative_ports_are_proved_and_a_loop_among_them_is_told) {
  run_well("route net --engine dragonfly --lanes lanes --alternatives ports -o lfts");
  const json proof = json::parse(run_well("verify net lfts --lanes lanes --alternatives ports --json"));
  EXPECT_TRUE(proof["alternatives"]["ok"].get<bool>());
  EXPECT_GT(proof["alternatives"]["with_choice"].get<int>(), 0);
  // On one lane the same ports wait for each other.
  const Outcome outcome = run("verify net lfts --alternatives ports --json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_FALSE(json::parse(outcome.out)["alternatives"]["ok"].get<bool>());
}

TEST_F(OnDragonfly, analyze_tells_lanes_and_lengths) {
  run_well("route net --engine dragonfly --lanes lanes -o lfts");
  const json figures = json::parse(run_well("analyze net lfts --patterns a2a --lanes lanes --also lengths,ksp --json"));
  EXPECT_EQ(figures["vls"], 2);
  EXPECT_EQ(figures["lanes"].size(), 2U);
  EXPECT_EQ(figures["lengths"]["2"], 72);
  EXPECT_GT(figures["ksp"]["share"], 0.9);  // all but two global hops where these are fewer
}

TEST_F(OnDragonfly, weights_of_lid_offsets_are_written_and_used) {
  run_well("route net --engine dragonfly-rlm --lmc 2 --lanes lanes --lid-choices weights -o lfts");
  EXPECT_THAT(refusal_of("route net --engine dragonfly --lmc 2 --lanes lanes --lid-choices weights -o lfts"),
              HasSubstr("no weights of LID offsets"));
  const auto throughput = [&](const std::string& use) {
    return json::parse(
               run_well("analyze net lfts --lmc 2 --patterns advg:1 --json --lid-offset " + use))["throughput_advg_1"]
        .get<double>();
  };
  // Spread evenly, a fourth at least of what a group sends to the next meets on one link.
  const double weighted = throughput("weights");
  EXPECT_GT(weighted, 1.05 * throughput("all"));
  EXPECT_GT(weighted, 2 * throughput("0"));
  run_well("route net --engine dragonfly --lanes lanes0 -o lfts0");
  EXPECT_THAT(refusal_of("analyze net lfts0 --patterns a2a --lid-offset weights"),
              HasSubstr("there is no LID offset 1"));
  const json lanes =
      json::parse(run_well("analyze net lfts --lmc 2 --lanes lanes --patterns a2a --lid-offset weights --json"));
  EXPECT_EQ(lanes["lanes"].size(), 3U);
}

TEST_F(OnDragonfly, weights_of_a_linear_program_are_used_by_pair) {
  run_well("route net --engine dragonfly-rlm --lmc 2 --lanes lanes -o lfts");
  // Every group sends to the next: 8 hosts to 8.
  std::string flows;
  for (int i = 0; i < 72; ++i)
    flows += "\"host " + std::to_string(i) + "\" \"host " + std::to_string((i + 8) % 72) + "\"\n";
  write("flows", flows);
  const json best =
      json::parse(run_well("throughput net --lmc 2 --paths lfts:lfts --flows flows --weights weights --json"));
  const auto fullest = [&](const std::string& use) {
    const json found =
        json::parse(run_well("analyze net lfts --lmc 2 --patterns matrix:flows --json --lid-offset " + use));
    return found["load_matrix"].get<double>();
  };
  EXPECT_EQ(fullest("0"), 8);
  EXPECT_EQ(fullest("all"), 3);
  EXPECT_NEAR(1 / fullest("weights"), best["bound_low"].get<double>(), 0.001);
  // Both simulators read them as well.
  const json fluid =
      json::parse(run_well("simulate net lfts --lmc 2 --patterns matrix:flows --lid-offset weights --json"));
  EXPECT_GT(fluid["throughput"].get<double>(), 1.2 / 3);
  const json packets =
      json::parse(run_well("simulate net lfts --lmc 2 --packets --lanes lanes --traffic shift:8 --load 0.2 --cycles "
                           "2000 --lid-offset weights --json"));
  EXPECT_EQ(packets["undelivered"], 0);
}

TEST_F(OnDragonfly, known_flows_are_spread_over_lids_that_hosts_choose) {
  // All hosts of two groups send to one host of a third.
  std::string flows;
  for (int i = 0; i < 16; ++i) flows += "\"host " + std::to_string(i) + "\" \"host 40\"\n";
  write("flows", flows);
  const auto fullest = [&](const std::string& arguments) {
    return json::parse(run_well("analyze net " + arguments + " --patterns matrix:flows --json"))["load_matrix"]
        .get<double>();
  };
  run_well("route net --engine flows --flows flows --lanes lanes0 -o lfts0");
  run_well("route net --engine flows --flows flows --lmc 2 --lanes lanes --lid-choices choices -o lfts");
  EXPECT_LT(fullest("lfts --lmc 2 --lid-offset choices"), fullest("lfts0"));
  EXPECT_EQ(run("verify net lfts --lmc 2 --lanes lanes").code, 0);
  const json packets =
      json::parse(run_well("simulate net lfts --lmc 2 --packets --lanes lanes --patterns matrix:flows --bytes 4096 "
                           "--lid-offset choices --json"));
  EXPECT_EQ(packets["undelivered"], 0);
  EXPECT_THAT(refusal_of("route net --engine flows --flows flows --lanes lanes --lid-choices choices -o lfts"),
              HasSubstr("no weights of LID offsets"));
}

// "host 99" is not there, though 72 ports belong to a host "host".
TEST_F(OnDragonfly, flows_name_a_host_that_is_missing_and_engines_that_use_none) {
  write("flows", "\"host 0\" \"host 99\"\n");
  EXPECT_THAT(run("route net --engine flows --flows flows -o lfts").err,
              HasSubstr("flows:1: there is no host named \"host 99\""));
  write("flows", "\"host 0\" \"host 9\"\n");
  EXPECT_THAT(run("route net --engine dragonfly --flows flows -o lfts").err, HasSubstr("does not use --flows"));
}

TEST_F(OnDragonfly, record_adds_up_a_trace) {
  write("trace", "0 1 5000\n1 0 7\n0 1 6000 # again\n");
  EXPECT_THAT(run_well("record net --trace trace --least 100"),
              HasSubstr("0x0002c90100000001 0x0002c90100000011 11000  # host 0 to host 1\n"));
  write("bad", "0 1 1\n0 99 1\n");
  EXPECT_THAT(refusal_of("record net --trace bad"), HasSubstr("bad:2: rank 99 has no host"));
  for (const char* weight : {"2e31", "1e308\n0 1 1e308", "1e-31"}) {
    write("bad", std::string("0 1 ") + weight + "\n");
    EXPECT_THAT(refusal_of("record net --trace bad"), HasSubstr("takes weights from 1e-30 to 1e+30"));
  }
  EXPECT_THAT(refusal_of("record net"), HasSubstr("one of --live, --trace and --matrix"));
}

TEST_F(EspalierCommand, record_writes_no_more_flows_than_are_read) {
  constexpr int kHosts = 1001;
  run_well("generate pgft '2;36,28;1,1;1,1' -o net");
  std::string trace;
  for (int from = 0; from < kHosts; ++from)
    for (int to = 0; to < kHosts; ++to)
      if (from != to) trace += std::to_string(from) + ' ' + std::to_string(to) + (to < 2 ? " 1\n" : " 2\n");
  write("trace", trace);
  const Outcome recorded = run("record net --trace trace -o flows --json");
  EXPECT_EQ(nlohmann::json::parse(recorded.out).at("flows"), 1'000'000);
  EXPECT_THAT(recorded.err, HasSubstr("1001000 flows; the 1000 lightest are left out"));
  EXPECT_THAT(read("flows"), HasSubstr(" 1  # "));
}

}  // namespace
}  // namespace espalier::test
