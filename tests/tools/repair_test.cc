// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier repair`: tables of a damaged fabric from those of the whole one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Repair : public EspalierCommand {
 protected:
  Repair() {
    run_well("generate pgft '3;4,3,4;1,4,2;1,1,1' -o net");
    run_well("degrade net --links 1 --seed 1 -o broken");
  }
};

TEST_F(Repair, gives_all_lids_of_a_range_the_routes_of_the_reference) {
  run_well("route net -e balanced --lmc 2 --save-reference reference -o whole");
  run_well("repair net --lmc 2 --reference reference -o again");
  EXPECT_EQ(json::parse(run_well("diff whole again --json"))["entries"], 0);
  const json repaired = json::parse(run_well("repair broken --lmc 2 --reference reference -o tables --json"));
  EXPECT_GT(repaired["entries"], 0);
  EXPECT_EQ(json::parse(run("diff whole tables --json").out)["entries"], repaired["entries"]);
  run_well("verify broken tables --lmc 2");
}

TEST_F(Repair, tells_of_equipment_that_shares_the_paths_of_others) {
  run_well("degrade net --remove 'leaf 3' -o smaller");
  run_well("route smaller -e balanced --save-reference reference -o fewer");
  EXPECT_THAT(run("repair net --reference reference -o tables").err, HasSubstr("share the paths of others"));
  EXPECT_THAT(run("repair smaller --reference reference -o tables").err, Not(HasSubstr("share the paths")));
}

TEST_F(Repair, writes_one_lane_for_a_reference_without_lanes) {
  run_well("route net -e dmodc --save-reference reference -o whole");
  const json repaired = json::parse(run_well("repair broken --reference reference --lanes lanes -o tables --json"));
  EXPECT_EQ(repaired["vls"], 1);
  run_well("verify broken tables --lanes lanes");
  EXPECT_THAT(run("repair broken --reference reference -o tables").err, Not(HasSubstr("can deadlock")));
}

TEST_F(Repair, keeps_the_lanes_of_a_reference) {
  run_well("generate dragonfly 2,4,2,9 -o df");
  run_well("degrade df --links 1 --seed 1 -o broken_df");
  for (const char* const engine : {"layers", "dragonfly", "dragonfly-rlm"}) {
    run_well(std::string("route df --lmc 2 --save-reference reference --lanes lanes -o whole -e ") + engine);
    run_well("repair df --lmc 2 --reference reference --lanes same -o again");
    EXPECT_EQ(json::parse(run_well("diff whole again --json"))["entries"], 0) << engine;
    EXPECT_EQ(read("same"), read("lanes")) << engine;
    const json repaired =
        json::parse(run_well("repair broken_df --lmc 2 --reference reference --lanes lanes -o tables --json"));
    EXPECT_GT(repaired["vls"], 1) << engine;
    EXPECT_GT(repaired["entries"], 0) << engine;
    run_well("verify broken_df tables --lmc 2 --lanes lanes");
    EXPECT_THAT(run("repair broken_df --lmc 2 --reference reference -o tables").err,
                HasSubstr("this routing can deadlock: save them with --lanes FILE"))
        << engine;
  }
}

}  // namespace
}  // namespace espalier::test
