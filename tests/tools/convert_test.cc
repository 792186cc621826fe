// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <gmock/gmock.h>

#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Convert : public EspalierCommand {};

TEST_F(Convert, writes_every_format_that_help_lists) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc -o lfts");
  EXPECT_EQ(run_well("convert net --to net"), read("net"));
  EXPECT_EQ(run_well("convert net lfts --to lfts"), read("lfts"));
  EXPECT_THAT(run_well("convert net lfts --to fdbs"), StartsWith("dump_ucast_routes: Switch 0x"));
  EXPECT_THAT(run_well("convert net --to subnet-lst"), StartsWith("{ "));
  EXPECT_THAT(run_well("convert net --to dot"), StartsWith("graph fabric {\n"));
  EXPECT_THAT(run_well("convert net lfts --to dot"), StartsWith("digraph fabric {\n"));
  EXPECT_THAT(run_well("convert net --to graphml"), HasSubstr("<data key=\"level\">1</data>"));
  EXPECT_THAT(run_well("convert net lfts --to json"), HasSubstr("\"tables\": ["));
  EXPECT_THAT(run_well("convert net --to csv"), StartsWith("a_guid,"));
  EXPECT_THAT(run_well("convert net --to csv-switches"), StartsWith("guid,"));
  EXPECT_THAT(run_well("convert net --to csv-end-ports"), StartsWith("port_guid,"));
}

TEST_F(Convert, names_leaves_roots_and_hosts_as_they_are_ranked) {
  write("net", two_level_tree());
  const std::string slurm = run_well("convert net --to slurm");
  EXPECT_THAT(slurm, HasSubstr("\nSwitchName=L0 Nodes=h[0-1]\n"));
  EXPECT_THAT(slurm, HasSubstr("\nSwitchName=S0 Switches=L[0-2]\n"));
  const std::string order = run_well("convert net --to ca-order");
  EXPECT_EQ(std::count(order.begin(), order.end(), '\n'), 6);
  EXPECT_THAT(order, HasSubstr("\th0\n"));
  const std::string roots = run_well("convert net --to roots");
  EXPECT_EQ(std::count(roots.begin(), roots.end(), '\n'), 2);
  EXPECT_EQ(run_well("convert net --to statistical-roots"), roots);
  const std::string hosts = run_well("convert net --to cn-guids -o cn && cat cn");
  EXPECT_EQ(std::count(hosts.begin(), hosts.end(), '\n'), 6);
  EXPECT_EQ(run_well("convert net --to roots --cn-guids cn"), roots);
}

TEST_F(Convert, reads_back_what_it_wrote_in_another_format) {
  write("net", three_level_tree());
  run_well("route net --engine dmodc -o lfts");
  run_well("convert net --to subnet-lst -o list");
  run_well("convert net lfts --to fdbs -o fdbs");
  EXPECT_EQ(run_well("convert list --to csv"), run_well("convert net --to csv"));
  EXPECT_EQ(run_well("convert list fdbs --to lfts"), read("lfts"));
  EXPECT_THAT(run_well("verify list fdbs"), StartsWith("sound: "));
  EXPECT_THAT(run_well("rank list"), StartsWith("12 switches on 3 levels"));
}

TEST_F(Convert, keeps_the_port_guids_of_the_file_unless_told_otherwise) {
  write("net",
        "Switch 2 \"S-0000000000001000\"\n[1] \"H-0000000000002000\"[1](2000)\n\n"
        "Ca 1 \"H-0000000000002000\" # \"h\"\n[1](2000) \"S-0000000000001000\"[1]\n");
  EXPECT_EQ(run_well("convert net --to cn-guids"), "0x0000000000002000\n");
  EXPECT_EQ(run_well("convert net --to cn-guids --ibsim"), "0x0000000000002001\n");
}

TEST_F(Convert, says_what_it_lacks) {
  write("net", two_level_tree());
  const auto error_of = [&](const std::string& arguments) {
    const Outcome outcome = run("convert " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.err;
  };
  EXPECT_THAT(error_of("net --to pdf"), StartsWith("espalier: unknown format \"pdf\"; see espalier convert --help"));
  EXPECT_THAT(error_of("net --to lfts"), StartsWith("espalier: lfts is a format for tables, but no tables are given"));
  EXPECT_THAT(error_of("net net --to csv"), StartsWith("espalier: net: csv does not hold tables"));
  EXPECT_THAT(error_of("net net --to json"), HasSubstr("net:1: neither a switch nor an entry"));
  EXPECT_THAT(error_of("net"), HasSubstr("--to is required"));
}

}  // namespace
}  // namespace espalier::test
