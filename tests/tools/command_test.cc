// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all subcommands have in common: help, version, messages, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class Command : public EspalierCommand {};

TEST_F(Command, tells_its_version) {
  const std::string version = run_well("--version");
  EXPECT_THAT(version, MatchesRegex("espalier [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Command, explains_each_subcommand_with_an_example) {
  EXPECT_THAT(run_well("--help"), HasSubstr("Example"));
  for (const std::string name : {"generate pgft", "degrade", "rank", "route", "verify", "diff"})
    EXPECT_THAT(run_well(name + " --help"), HasSubstr("\n  espalier " + name + " ")) << name;
}

TEST_F(Command, refuses_a_wrong_command_line_with_exit_code_2) {
  write("net", two_level_tree());
  for (const char* arguments :
       {"", "frobnicate", "generate", "generate pgft", "rank", "rank net net", "route", "verify net", "diff net",
        "route net --engine nobody", "route net --engine dmodc --lmc 8", "route net --engine dmodc --threads -1",
        "degrade net --links many", "degrade net --links -1", "rank net --frobnicate"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("espalier: ")) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("; see espalier")) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
}

TEST_F(Command, names_file_and_line_of_what_it_cannot_read) {
  write("good.net", two_level_tree());
  write("bad.net", "Switch 4 \"S-0000000000000001\"\n[9] \"S-0000000000000002\"[1]\n");
  write("bad.guids", "0x1\nzwei\n");
  EXPECT_THAT(run("rank bad.net").err, StartsWith("espalier: bad.net:2: "));
  EXPECT_THAT(run("rank good.net --roots bad.guids").err, StartsWith("espalier: bad.guids:2: "));
  EXPECT_THAT(run("verify good.net bad.net").err, StartsWith("espalier: bad.net:1: "));
  EXPECT_THAT(run("diff bad.net bad.net").err, StartsWith("espalier: bad.net:1: "));
  EXPECT_EQ(run("rank none.net").err, "espalier: none.net: cannot open: No such file or directory\n");
  for (const char* arguments : {"rank bad.net", "rank good.net --roots bad.guids", "verify good.net bad.net",
                                "diff bad.net bad.net", "rank none.net", "degrade none.net", "route none.net -e dmodc"})
    EXPECT_EQ(run(arguments).code, 2) << arguments;
}

TEST_F(Command, reports_output_that_cannot_be_written) {
  write("net", two_level_tree());
  EXPECT_EQ(run("degrade net -o no/such/folder").code, 2);
  EXPECT_EQ(run("degrade net -o /dev/full").code, 2);
  write("nobody", "");
  EXPECT_EQ(run("rank net --roots nobody").code, 0) << "an empty list is no list";
}

TEST_F(Command, reads_standard_input) {
  write("net", two_level_tree());
  EXPECT_THAT(run_well("rank - <net"), HasSubstr("5 switches on 2 levels"));
}

TEST_F(Command, warns_about_a_doubtful_file_and_goes_on) {
  write("net", "Switch 2 \"S-0000000000000001\"\n[1] \"H-0000000000000010\"[1]\n");
  const Outcome outcome = run("rank net");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, StartsWith("espalier: warning: net:"));
}

}  // namespace
}  // namespace espalier::test
