// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier types`, and node types of `espalier route`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Types : public EspalierCommand {
 protected:
  void SetUp() override { write("net", draw("L0:3 L1:2 S; L0-S L1-S")); }
};

TEST_F(Types, says_who_is_of_which_type_and_why) {
  write("types", "io name h[12]$\n");
  EXPECT_EQ(run("types net --node-types types").out,
            "compute          0x0002c90100000001 (h0)  [no rule matches]\n"
            "io               0x0002c90100000011 (h1)  [types:1: name h[12]$]\n"
            "io               0x0002c90100000021 (h2)  [types:1: name h[12]$]\n"
            "compute          0x0002c90100000031 (h3)  [no rule matches]\n"
            "compute          0x0002c90100000041 (h4)  [no rule matches]\n"
            "3 hosts of type compute, weight 1\n"
            "2 hosts of type io, weight 1\n");
}

TEST_F(Types, warns_of_rules_and_hosts_without_a_match) {
  write("types", "io name oss\n");
  const Outcome outcome = run("types net --node-types types");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: types:1: no end port gets type io by \"name oss\"\n"));
  EXPECT_THAT(outcome.err, HasSubstr("warning: no rule matches 5 hosts, typed as compute: "));
}

TEST_F(Types, warns_of_types_that_nobody_can_be_of) {
  write("types", "io name h1\norder compute gpu io router\nweight oi 4\nweight io 2\nothers compute\n");
  const Outcome outcome = run("types net --node-types types");
  EXPECT_EQ(outcome.err,
            "espalier: warning: type oi has a weight, but no rule gives it to a host\n"
            "espalier: warning: type gpu is in the order, but no rule gives it to a host\n");
}

TEST_F(Types, takes_opensms_lists) {
  write("io", "0x0002c90100000021\n");
  write("cn", "0x0002c90100000001\n");
  const auto json = nlohmann::json::parse(run_well("types net --io-guids io --cn-guids cn --json"));
  std::string types;
  for (const auto& e : json["endports"]) types += e["type"].get<std::string>() + " ";
  EXPECT_EQ(types, "compute other io other other ");
  EXPECT_EQ(json["endports"][2]["reason"], "io: list of port GUIDs");
  EXPECT_EQ(json["types"][0]["type"], "compute");
  EXPECT_EQ(json["types"][1]["hosts"], 3);
}

// GUIDs of a new machine say nothing: parents are in the order of their planes.
TEST_F(Types, keep_phases_apart_whatever_the_guids) {
  run_well("generate pgft '3;12,6,10;1,12,3;1,1,1' -o plain");
  std::string types;
  for (int host = 11; host < 12 * 6 * 10; host += 12) types += "io name ^host " + std::to_string(host) + "$\n";
  write("types", types);
  for (const std::string seed : {"1", "1001", "1002"}) {
    run_well("degrade plain --links 6 -o broken --seed " + seed);
    run_well("modify broken --shuffle-guids -o net --seed " + seed);
    for (const auto& [engine, back] : {std::pair("gxmodk", 1), std::pair("balanced", 2)}) {
      run_well(std::string("route net --node-types types -o lfts -e ") + engine);
      const auto json =
          nlohmann::json::parse(run_well("analyze net lfts --node-types types --patterns phase:compute:io --json"));
      EXPECT_EQ(json["mu_phase_max"], 1) << engine << " seed " << seed;
      EXPECT_LE(json["mu_phase_back_max"], back) << engine << " seed " << seed;
    }
  }
}

TEST_F(Types, names_file_and_line_of_what_is_wrong) {
  write("types", "# types\nio name (\n");
  for (const char* command : {"types net --node-types types", "route net -e gxmodk --node-types types -o lfts"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, StartsWith("espalier: types:2: \"(\" is not a supported regular expression"));
  }
}

TEST_F(Types, change_the_routes_of_gxmodk_and_of_no_other) {
  write("tree", test::pgft("3;4,4,3;1,2,2;1,1,1"));
  write("types", "io name ^host [0-9]*[3579]$\n");
  const std::string types = " --node-types types";
  EXPECT_EQ(run_well("route tree -e dmodc" + types), run_well("route tree -e dmodc"));
  for (const std::string mode : {"grouped", "interleaved", "auto --storage-share 0.5"})
    EXPECT_NE(run_well("route tree -e gxmodk --gxmodk-mode " + mode + types), run_well("route tree -e dmodc")) << mode;
  EXPECT_EQ(run("route tree -e gxmodk --gxmodk-mode best").code, 2);
}

}  // namespace
}  // namespace espalier::test
