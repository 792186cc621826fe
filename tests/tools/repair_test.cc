// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier repair`: tables of a damaged fabric from those of the whole one.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using nlohmann::json;

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

}  // namespace
}  // namespace espalier::test
