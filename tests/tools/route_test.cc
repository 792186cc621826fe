// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier route`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/fabric/fabric_builder.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Route : public EspalierCommand {};

TEST_F(Route, routes_every_drawn_fabric_soundly) {
  for (const auto& [name, fabric] : all_drawn_fabrics()) {
    write("net", fabric);
    run_well("route net --engine dmodc --verify -o lfts");
    EXPECT_THAT(run_well("verify net lfts"), StartsWith("sound: ")) << name;
  }
}

TEST_F(Route, writes_the_dialect_of_opensm) {
  write("net", single_switch());
  EXPECT_EQ(run_well("route net --engine dmodc"),
            "Unicast lids [0-4] of switch Lid 1 guid 0x0002c90000000001 ('L0'):\n"
            "0x0001 000 # Switch portguid 0x0002c90000000001: 'L0'\n"
            "0x0002 001 # Channel Adapter portguid 0x0002c90100000001: 'h0'\n"
            "0x0003 002 # Channel Adapter portguid 0x0002c90100000011: 'h1'\n"
            "0x0004 003 # Channel Adapter portguid 0x0002c90100000021: 'h2'\n"
            "4 lids dumped\n");
}

// Some may be down; but misspelled names would not be noticed.
TEST_F(Route, names_a_host_of_the_order_that_is_not_in_the_fabric) {
  write("net", two_level_tree());
  write("order", "h0\nnosuch\nh1\n");
  const Outcome outcome = run("route net --host-order order -o lfts");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("warning: hosts that are not in the fabric are left out: order:2: \"nosuch\" is not"));
  write("order", "h0\nh1\n");
  EXPECT_THAT(run("route net --host-order order -o lfts").err, Not(HasSubstr("warning")));
}

TEST_F(Route, sums_up_in_one_line_on_standard_error) {
  write("net", two_level_tree());
  const Outcome outcome = run("route net --engine dmodc --verify -o lfts");
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("espalier: dmodc: 5 switches, 6 end ports, top LID 11: read "));
  EXPECT_THAT(outcome.err,
              ContainsRegex("rank [0-9.]+ ms, route [0-9.]+ ms, verify [0-9.]+ ms; hosts numbered by names\n$"));
}

TEST_F(Route, gives_the_same_tables_whatever_the_number_of_threads) {
  write("net", test::pgft("3;4,4,6;1,4,4;1,1,1"));
  run_well("degrade net --links 20 --switches 2 --seed 3 -o broken");
  const std::string one = run_well("route broken --engine dmodc --threads 1");
  EXPECT_EQ(run_well("route broken --engine dmodc --threads 7"), one);
  EXPECT_EQ(run_well("route broken --engine dmodc"), one);
}

TEST_F(Route, keeps_the_lids_of_the_file) {
  FabricBuilder builder(two_level_tree());
  builder.at(FabricBuilder::SwitchHandle{0}).lid = Lid{1000};
  builder.at(FabricBuilder::EndportHandle{0}).lid = Lid{2000};
  builder.at(FabricBuilder::EndportHandle{0}).lmc = 2;  // and a LMC of its own
  write("net", std::move(builder).build().value());
  EXPECT_THAT(run_well("route net --engine dmodc -o lfts && grep -c '^0x07d[0-3]' lfts"), StartsWith("20"));
}

TEST_F(Route, numbers_a_file_without_lids) {
  write("net",
        "Switch 2 \"S-0000000000000001\"\n[1] \"H-0000000000000010\"[1]\n[2] \"H-0000000000000020\"[1]\n"
        "Ca 1 \"H-0000000000000010\"\n[1] \"S-0000000000000001\"[1]\n"
        "Ca 1 \"H-0000000000000020\"\n[1] \"S-0000000000000001\"[2]\n");
  EXPECT_THAT(run_well("route net --engine dmodc"),
              HasSubstr("\n0x0003 002 # Channel Adapter portguid 0x0000000000000021"));
}

TEST_F(Route, gives_each_end_port_as_many_lids_as_lmc_says) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc --lmc 3 --verify -o lfts");
  write("net3", with_lmc(two_level_tree(), 3));
  EXPECT_THAT(run_well("verify net3 lfts"), StartsWith("sound: "));
  EXPECT_EQ(run_well("route net3 --engine dmodc --lmc 3"), read("lfts"));
  EXPECT_EQ(run_well("route net3 --engine dmodc"), read("lfts")) << "the file's LMC is kept";
}

TEST_F(Route, says_when_the_lids_run_out) {
  write("net", test::pgft("2;20,20;1,1;1,1"));
  const Outcome outcome = run("route net --engine dmodc --lmc 7 -o lfts");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("need more than the 49151 unicast LIDs; choose a smaller LMC"));
  EXPECT_FALSE(exists("lfts"));
}

TEST_F(Route, says_which_options_are_for_other_engines) {
  run_well("generate kary 2,2 -o net");
  EXPECT_THAT(run("route net -e dmodc --balance-ms 5 -o t").err,
              HasSubstr("engine dmodc does not use --balance-ms; engine balanced does"));
  EXPECT_THAT(run("route net -e balanced --vls 4 -o t").err,
              HasSubstr("engine balanced does not use --vls; engines dragonfly, dragonfly-rlm, layers and flows do"));
  EXPECT_THAT(run("route net -e ftree --sftree-base dmodc -o t").err, HasSubstr("does not use --sftree-base"));
  EXPECT_THAT(run("route net -e balanced --gxmodk-mode auto -o t").err, HasSubstr("does not use --gxmodk-mode"));
  EXPECT_THAT(run("route net -e balanced --balance-ms 5 -o t").err, Not(HasSubstr("does not use")));
}

TEST_F(Route, gives_known_flows_channels_of_their_own_and_names_each_bad_line) {
  run_well("generate pgft '2;4,4;1,4;1,1' -o net");
  write("flows", "\"host 0\" \"host 4\" 100\n\"host 1\" \"host 8\" 100\n\"host 2\" \"host 12\" 100\n");
  run_well("route net --engine flows --flows flows --verify -o lfts");
  std::set<std::string> ports;
  for (const char* ends :
       {"--from 'host 0' --to 'host 4'", "--from 'host 1' --to 'host 8'", "--from 'host 2' --to 'host 12'"}) {
    const std::string text = run_well(std::string("explain net lfts ") + ends);
    const std::size_t at = text.find(" port ");
    ports.insert(text.substr(at, text.find(" ->", at) - at));
  }
  EXPECT_EQ(ports.size(), 3);

  write("bad", "\"host 0\" \"host 4\"\nnobody \"host 4\"\n\"host 1\" \"host 4\" -1\n");
  const auto refused = run("route net --engine flows --flows bad -o other");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("bad:2: there is no host named \"nobody\""));
  EXPECT_THAT(refused.err, HasSubstr("bad:3: "));
  EXPECT_THAT(refused.err, HasSubstr("2 bad lines; nothing was routed"));
}

}  // namespace
}  // namespace espalier::test
