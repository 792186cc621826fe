// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier advise`: each engine by the measures that the other subcommands print, and one of them recommended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Advise : public EspalierCommand {
 protected:
  Advise() { run_well("generate pgft '3;4,3,4;1,4,2;1,1,1' -o net"); }

  [[nodiscard]] json advice(const std::string& net = "net") const {
    return json::parse(run_well("advise " + net + " --stock none --json"));
  }
  [[nodiscard]] static json candidate(const json& advice, const std::string& engine) {
    for (const json& one : advice["candidates"])
      if (one["engine"] == engine) return one;
    return {};
  }
};

TEST_F(Advise, recommends_a_sound_engine_with_its_lines_for_opensm_conf) {
  const json all = advice();
  const json best = candidate(all, all["engine"]);
  EXPECT_EQ(best["sound_all"], true);
  for (const json& one : all["candidates"]) {
    if (one.contains("declined")) continue;
    for (const char* key : {"sound_hosts", "sound_all", "mu_sp_max", "mu_rp_median", "bound_sp", "route_ms"})
      EXPECT_TRUE(one.contains(key)) << one["engine"] << " lacks " << key;
    EXPECT_LE(one["bound_sp"], one["mu_sp_max"]) << one["engine"];
    EXPECT_EQ(one.contains("search_ms"), one["engine"] == "balanced") << one["engine"];
  }
  EXPECT_THAT(candidate(all, "dragonfly")["declined"], HasSubstr("not a dragonfly"));
  EXPECT_THAT(run_well("advise net --stock none"),
              AllOf(HasSubstr("recommended: " + all["engine"].get<std::string>()), HasSubstr("routing_engine "),
                    HasSubstr("in opensm.conf:\n  event_plugin_name espalier"), HasSubstr("\nthen, with the package"),
                    HasSubstr("(bound): the least worst shift"), HasSubstr("hosts, all: sound for ")));
}

// Groups found in a random graph are none, and levels say nothing of it.
TEST_F(Advise, asks_layers_where_there_is_no_tree_and_says_what_its_lanes_need) {
  run_well("generate jellyfish 40,8,5 --seed 1001 -o random");
  const json all = advice("random");
  EXPECT_THAT(candidate(all, "dragonfly")["declined"], HasSubstr("a random graph"));
  const json layers = candidate(all, "layers");
  EXPECT_EQ(layers["sound_all"], true);
  EXPECT_GT(layers["vls"], 1);
  EXPECT_EQ(all["engine"], "layers");
  EXPECT_THAT(all["opensm_conf"], ::testing::Contains("qos TRUE"));
  EXPECT_TRUE(candidate(advice(), "layers").is_null()) << "a tree";
  const json one_lane = json::parse(run_well("advise random --stock none --vls 1 --json"));
  EXPECT_EQ(candidate(one_lane, "layers")["vls"], 1);
}

// One lane suffices for the whole torus, more do with any link lost; the plugin wants the line in both cases.
TEST_F(Advise, turns_qos_on_for_engines_with_lanes_though_one_lane_suffices) {
  run_well("generate torus 3,3,3,1 -o torus");
  for (const char* arguments : {"torus", "torus --vls 1"}) {
    const json all = advice(arguments);
    EXPECT_EQ(all["engine"], "layers");
    EXPECT_EQ(candidate(all, "layers")["vls"], 1);
    EXPECT_THAT(all["opensm_conf"], ::testing::Contains("qos TRUE"));
  }
  EXPECT_THAT(advice()["opensm_conf"], Not(::testing::Contains("qos TRUE"))) << "a tree";
}

TEST_F(Advise, measures_as_analyze_does) {
  const json dmodc = candidate(advice(), "dmodc");
  const json measured = json::parse(run_well("analyze net --engine dmodc --patterns sp,rp:200 --json"));
  EXPECT_EQ(dmodc["mu_sp_max"], measured["mu_sp_max"]);
  EXPECT_EQ(dmodc["mu_rp_median"], measured["mu_rp_median"]);
}

// Without the order of hosts in espalier.conf other tables would result.
TEST_F(Advise, says_the_order_of_hosts_that_the_plugin_has_to_be_told) {
  std::string backward;
  const json types = json::parse(run_well("types net --json"));
  for (const json& e : types["endports"]) backward = e["port_guid"].get<std::string>() + "\n" + backward;
  write("order", backward);
  EXPECT_FALSE(advice().contains("espalier_conf"));
  const json all = advice("net --host-order order:2");
  EXPECT_EQ(all["espalier_conf"], json::array({"host_order " + path("order") + ":2"}));
  EXPECT_THAT(run_well("advise net --stock none --host-order topology"),
              HasSubstr("in espalier.conf:\n  host_order topology\n"));
  const Outcome by_lid = run("advise net --stock none --host-order lid --json");
  EXPECT_FALSE(json::parse(by_lid.out).contains("espalier_conf"));
  EXPECT_THAT(by_lid.err, HasSubstr("espalier.conf cannot name this order of hosts"));
}

// No cut tells a bound of a torus.
TEST_F(Advise, weighs_shifts_and_permutations_alike_where_there_is_no_bound) {
  run_well("generate torus '4,3,2' -o whole");
  run_well("degrade whole --links 6 --seed 4 -o broken");
  const json all = advice("broken");
  double least_shift = 1e9, least_random = 1e9, least = 1e9;
  for (const json& one : all["candidates"])
    if (one.contains("mu_sp_max")) {
      least_shift = std::min<double>(least_shift, one["mu_sp_max"]);
      least_random = std::min<double>(least_random, one["mu_rp_median"]);
    }
  std::string best;
  for (const json& one : all["candidates"]) {
    if (!one.contains("mu_sp_max")) continue;
    const double sum = one["mu_sp_max"].get<double>() / least_shift + one["mu_rp_median"].get<double>() / least_random;
    if (sum < least - 1e-9) {
      least = sum;
      best = one["engine"];
    }
  }
  EXPECT_EQ(candidate(all, "layers")["bound_sp"], 0);
  EXPECT_EQ(best, "layers");
  EXPECT_EQ(all["engine"], best);
}

// One flow is too many for a link at 1x: an engine that counts flows alone is no better for it.
TEST_F(Advise, divides_flows_by_what_links_carry) {
  run_well("generate pgft '2;8,8;1,4;1,2' -o even");
  run_well("modify even --throttled-links 6 --seed 2 -o slow");
  const json all = advice("slow");
  const json balanced = candidate(all, "balanced"), dmodc = candidate(all, "dmodc");
  EXPECT_LE(dmodc["mu_sp_max"], balanced["mu_sp_max"]);
  EXPECT_LT(balanced["mu_sp_max_per_capacity"], dmodc["mu_sp_max_per_capacity"]);
  EXPECT_TRUE(dmodc["one_link"].contains("mu_sp_max_per_capacity"));
  EXPECT_EQ(all["engine"], "balanced");
  EXPECT_THAT(run_well("advise slow --stock none"), HasSubstr("in full rates of a host"));
  EXPECT_FALSE(candidate(advice("even"), "dmodc").contains("mu_sp_max_per_capacity"));
}

TEST_F(Advise, compares_with_engines_that_opensm_has) {
  for (const char* list : {"foo", "none,minhop", "minhop,no_fallback", "dmodc"})
    EXPECT_THAT(refusal_of(std::string("advise net --stock ") + list), HasSubstr("is not one of OpenSM's own engines"));
}

// As the plugin does with its option `repair` as it stands; and with hosts by names, as `route` does, though the file
// has them in another order.
TEST_F(Advise, repairs_where_the_plugin_would) {
  run_well("generate pgft '2;6,8;1,6;1,1' -o straight");
  run_well("modify straight --shuffle-guids --seed 1001 -o shuffled");
  run_well("degrade shuffled --links 1 --seed 1 -o broken");
  run_well("route shuffled -e balanced --save-reference reference -o whole.lfts");
  run_well("repair broken --reference reference -o broken.lfts");
  const json balanced = candidate(advice("shuffled"), "balanced");
  EXPECT_EQ(balanced["one_link"]["entries"], json::parse(run("diff whole.lfts broken.lfts --json").out)["entries"]);
  EXPECT_EQ(balanced["mu_sp_max"],
            json::parse(run_well("analyze shuffled whole.lfts --patterns sp --json"))["mu_sp_max"]);
}

TEST_F(Advise, says_what_a_lost_link_costs_as_diff_does) {
  run_well("degrade net --links 1 --seed 1 -o broken");
  run_well("route net -e dmodc -o whole.lfts");
  run_well("route broken -e dmodc -o broken.lfts");
  const json lost = candidate(advice(), "dmodc")["one_link"];
  const Outcome difference = run("diff whole.lfts broken.lfts --json");
  EXPECT_EQ(lost["entries"], json::parse(difference.out)["entries"]);
  EXPECT_EQ(lost["blocks"], json::parse(difference.out)["blocks"]);
}

TEST_F(Advise, refuses_what_has_no_switch) {
  write("alone", "Ca 1 \"H-0000000000000010\"\n");
  EXPECT_EQ(run("advise alone --stock none").code, 2);
}

}  // namespace
}  // namespace espalier::test
