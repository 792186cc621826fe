// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier advise`: each engine by the measures that the other subcommands print, and one of them recommended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

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
                    HasSubstr("event_plugin_name espalier")));
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

TEST_F(Advise, measures_as_analyze_does) {
  const json dmodc = candidate(advice(), "dmodc");
  const json measured = json::parse(run_well("analyze net --engine dmodc --patterns sp,rp:200 --json"));
  EXPECT_EQ(dmodc["mu_sp_max"], measured["mu_sp_max"]);
  EXPECT_EQ(dmodc["mu_rp_median"], measured["mu_rp_median"]);
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
