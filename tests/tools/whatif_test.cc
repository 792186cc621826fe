// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier whatif`, and --remove of `espalier degrade`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class WhatIf : public EspalierCommand {
 protected:
  WhatIf() {
    write("net", two_level_tree());
    run_well("route net --engine dmodc -o lfts");
  }
};

TEST_F(WhatIf, losing_a_spine_moves_its_routes_and_cuts_nobody_off) {
  const Json result = Json::parse(run_well("whatif net lfts --engine dmodc --remove S1 --json"));
  EXPECT_EQ(result.at("lost_pairs"), 0);
  EXPECT_EQ(result.at("moved_intact"), 0);
  EXPECT_GT(result.at("moved_forced"), 0);
  EXPECT_GT(result.at("blocks"), 0);
  EXPECT_LE(result.at("mu_sp_max_before").get<double>(), result.at("mu_sp_max_after").get<double>());
}

TEST_F(WhatIf, repairs_as_the_plugin_would_unless_told_otherwise) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o tree");
  run_well("route tree --engine balanced -o tree.lfts");
  const Json repaired = Json::parse(run_well("whatif tree tree.lfts --remove 'leaf 2/5' --json"));
  const Json anew = Json::parse(run_well("whatif tree tree.lfts --remove 'leaf 2/5' --repair never --json"));
  EXPECT_EQ(repaired.at("repaired"), true);
  EXPECT_EQ(repaired.at("moved_intact"), 0);
  EXPECT_EQ(anew.at("repaired"), false);
  EXPECT_LE(repaired.at("entries"), anew.at("entries"));
  EXPECT_EQ(Json::parse(run_well("whatif tree tree.lfts --engine dmodc --remove 'leaf 2/5' --json")).at("repaired"),
            false);
}

TEST_F(WhatIf, losing_a_leaf_loses_each_pair_with_one_of_its_hosts) {
  const Outcome outcome = run("whatif net lfts --engine dmodc --remove L1 --json");
  EXPECT_EQ(outcome.code, 1);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("lost_pairs"), 6 * 5 - 4 * 3);
  EXPECT_EQ(result.at("hosts_lost").size(), 2);
}

TEST_F(WhatIf, losing_the_cable_of_a_host_is_losing_the_host) {
  const Outcome outcome = run("whatif net lfts --engine dmodc --remove L1/1 --json");
  EXPECT_EQ(outcome.code, 1);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("lost_pairs"), 6 * 5 - 5 * 4);
  EXPECT_EQ(result.at("hosts_lost").size(), 1);
}

TEST_F(WhatIf, takes_one_link_by_switch_and_port) {
  run_well("degrade net --remove L0/3 -o fewer");
  EXPECT_THAT(run_well("rank fewer"), HasSubstr("5 links between switches"));
  EXPECT_EQ(Json::parse(run_well("whatif net --engine dmodc --remove L0/3 --json")).at("lost_pairs"), 0);
}

TEST_F(WhatIf, takes_a_port_of_an_adapter_that_has_several) {
  write("rails", draw("L0=L1 L0:1 L1:1 L0-L1"));
  run_well("degrade rails --remove h0/2 -o fewer");
  EXPECT_THAT(run_well("convert fewer --to csv-end-ports"), HasSubstr("\"h0\",4,0,,,\n"));
  EXPECT_THAT(run("degrade rails --remove h0 -o x").err, HasSubstr("matches 2 nodes"));
  EXPECT_THAT(run("degrade rails --remove h0/3 -o x").err, HasSubstr("has no port 3"));
}

TEST_F(WhatIf, says_what_is_wrong_with_a_name) {
  EXPECT_THAT(run("whatif net lfts --remove S7").err, HasSubstr("there is no node named \"S7\""));
  EXPECT_THAT(run("whatif net lfts --remove S1/99").err, HasSubstr("has no port 99"));
  EXPECT_THAT(run("whatif net lfts").err, HasSubstr("--remove is required"));
  EXPECT_EQ(run("degrade net --remove nobody -o x").code, 2);
}

TEST_F(WhatIf, repairs_on_the_lanes_of_an_engine) {
  run_well("generate dragonfly 2,4,2,9 -o df");
  for (const char* const engine : {"layers", "dragonfly"}) {
    const std::string asked = std::string("whatif df --remove 'group 0 router 0/7' --json -e ") + engine;
    EXPECT_EQ(Json::parse(run_well(asked))["repaired"], engine == std::string("layers"));  // which takes long elsewhere
    const Json repaired = Json::parse(run_well(asked + " --repair always"));
    EXPECT_EQ(repaired["repaired"], true) << engine;
    EXPECT_EQ(repaired["lost_pairs"], 0) << engine;
  }
}

TEST_F(WhatIf, repairs_tables_in_use_on_their_lanes) {
  run_well("generate dragonfly 2,4,2,9 -o df");
  run_well("route df -e layers --lanes lanes -o tables");
  const std::string asked = " --remove 'group 0 router 0/7' --json -e layers";
  const Json by_engine = Json::parse(run_well("whatif df" + asked));
  const Json by_files = Json::parse(run_well("whatif df tables --lanes lanes" + asked));
  EXPECT_EQ(by_files["repaired"], true);
  EXPECT_EQ(by_files["entries"], by_engine["entries"]);
  const Outcome on_one_lane = run("whatif df tables" + asked);
  EXPECT_EQ(Json::parse(on_one_lane.out)["repaired"], false);
  EXPECT_THAT(on_one_lane.err, HasSubstr("if they use several, name these with --lanes"));
  EXPECT_THAT(refusal_of("whatif df --lanes lanes" + asked), HasSubstr("give LFTS as well"));
}

TEST_F(WhatIf, analyze_computes_the_tables_of_an_engine) {
  EXPECT_EQ(run_well("analyze net --engine dmodc --patterns sp --json"),
            run_well("analyze net lfts --patterns sp --json"));
  EXPECT_THAT(run("analyze net lfts --engine dmodc").err, HasSubstr("only one set of tables is possible"));
}

}  // namespace
}  // namespace espalier::test
