// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all subcommands have in common: help, version, messages, exit codes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
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

TEST_F(Command, rank_shows_a_few_of_the_many_irregularities_of_a_random_graph) {
  run_well("generate jellyfish 50,7,4 --seed 2001 -o net");
  const std::string told = run_well("rank net");
  EXPECT_THAT(told, ContainsRegex("  same-level link: [0-9]+ more; --json lists them\n"));
  EXPECT_LE(std::count(told.begin(), told.end(), '\n'), 30);  // 122 where all are shown
}

TEST_F(Command, reports_output_that_cannot_be_written) {
  write("net", two_level_tree());
  EXPECT_EQ(run("degrade net -o no/such/folder").code, 2);
  EXPECT_EQ(run("degrade net -o /dev/full").code, 2);
  for (const char* arguments : {"degrade net", "route net", "rank net", "types net", "--version", "route --help"})
    EXPECT_THAT(refusal_of(std::string(arguments) + " >/dev/full"), HasSubstr("espalier: standard output: "))
        << arguments;
  write("nobody", "");
  EXPECT_EQ(run("rank net --roots nobody").code, 0) << "an empty list is no list";
}

TEST_F(Command, writes_no_two_results_to_one_place) {
  run_well("generate dragonfly 2,4,2,9 -o df");
  run_well("route df -e dragonfly --lanes lanes --save-reference reference -o tables");
  for (const char* arguments :
       {"route df -e dragonfly --lanes x -o x", "route df -e dragonfly --lanes ./x --save-reference x -o tables",
        "route df -e dragonfly --lanes -", "route df -e dragonfly --lanes - --json -o tables",
        "repair df --reference reference --lanes x -o x", "schedule df --text x -o x"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(" would both write ")) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
  EXPECT_EQ(run_well("repair df --reference reference --lanes - -o tables"), read("lanes"));
  run_well("route df -e dragonfly --lanes /dev/null -o /dev/null");
}

TEST_F(Command, routes_no_fabric_without_a_switch) {
  run_well("generate pgft '1;2;1;1' -o net");
  run_well("route net --save-reference reference -o tables");
  write("cas", "Ca 1 \"H-0000000000000010\"\n[1] \"H-0000000000000020\"[1]\nCa 1 \"H-0000000000000020\"\n");
  for (const char* arguments : {"route cas --verify", "repair cas --reference reference", "advise cas --stock none"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("cas: it contains no switch")) << arguments;
  }
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

TEST_F(Command, is_quiet_when_asked_to_wherever_the_word_stands) {
  write("net", "Switch 2 \"S-0000000000000001\"\n[1] \"H-0000000000000010\"[1]\n");
  EXPECT_THAT(run("rank net").err, Not(IsEmpty()));
  for (const char* arguments : {"rank net --quiet", "--quiet rank net"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, IsEmpty()) << arguments;
  }
  EXPECT_THAT(run("--quiet route net -o lfts").err, IsEmpty()) << "what was done is no error";
  EXPECT_THAT(run("rank none --quiet").err, HasSubstr("cannot open")) << "errors are still told";
}

TEST_F(Command, calls_nodes_as_the_node_name_map_does_and_finds_them_so) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  const std::string net = read("net");
  const auto guid = [&](const std::string& name) {
    const std::size_t at = net.rfind('-', net.find("# \"" + name + "\"")) + 1;
    return "0x" + net.substr(at, net.find('"', at) - at);
  };
  write("map", guid("leaf 0") + " \"rack 7 top\" # a remark\n" + guid("host 5") + " login\n");
  for (const char* arguments : {"explain net --engine dmodc --from login --to 'rack 7 top' --node-name-map map",
                                "--node-name-map=map explain net --engine dmodc --from login --to 'rack 7 top'"})
    EXPECT_THAT(run_well(arguments), HasSubstr("rack 7 top")) << arguments;
  EXPECT_THAT(run_well("convert net --to net --node-name-map map"), HasSubstr("\"login\""));
  EXPECT_THAT(run_well("check net --node-name-map map"), HasSubstr("clean"));
  EXPECT_EQ(run("rank net --node-name-map").code, 2);
  write("bad", "0x1 one\ntwo\n");
  EXPECT_THAT(run("rank net --node-name-map bad").err, StartsWith("espalier: bad:2: "));
}

// `script` runs the command at a terminal of its own.
TEST_F(Command, shows_people_at_a_terminal_how_long_it_will_take_and_nobody_else) {
  run_well("generate pgft '2;18,36;1,18;1,1' -o net");
  // More than any machine does in the time that it is given.
  const std::string command = "' analyze net --engine dmodc --patterns rp:1000000";
  const auto at_terminal = [&](const std::string& more) {
    const std::string line = "cd '" + path("") +
                             "' && TERM=xterm script -qc \"timeout --foreground 5 '" ESPALIER_COMMAND + command + more +
                             "\" /dev/null >shown </dev/null";
    EXPECT_NE(std::system(line.c_str()), -1);  // NOLINT
    return read("shown");
  };
  EXPECT_THAT(at_terminal(""), ContainsRegex("rp:1000000 .* %, [0-9]+ s left"));
  EXPECT_THAT(at_terminal(" --quiet"), Not(HasSubstr("s left")));
  const std::string elsewhere =
      "cd '" + path("") + "' && timeout 5 '" ESPALIER_COMMAND + command + " >shown 2>&1 </dev/null";
  EXPECT_NE(std::system(elsewhere.c_str()), -1);  // NOLINT
  EXPECT_THAT(read("shown"), Not(HasSubstr("s left")));
}

TEST_F(Command, reads_what_gzip_compressed_and_writes_it_when_the_name_says_so) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  run_well("route net -e dmodc -o plain.lfts");
  run_well("route net -e dmodc -o small.lfts.gz");
  run_well("route net -e dmodc -o least.tables");
  ASSERT_EQ(std::system(("gzip -k '" + path("net") + "'").c_str()), 0);  // NOLINT
  for (const char* tables : {"plain.lfts", "small.lfts.gz", "least.tables"}) {
    EXPECT_THAT(run_well(std::string("verify net.gz ") + tables), StartsWith("sound: ")) << tables;
    EXPECT_EQ(run(std::string("diff plain.lfts ") + tables).code, 0) << tables;
  }
  EXPECT_LT(read("least.tables").size() * 10, read("plain.lfts").size());
  run_well("convert net least.tables --to lfts -o again.lfts");
  EXPECT_EQ(read("again.lfts"), read("plain.lfts")) << "OpenSM's dialect on request";
}

TEST_F(Command, writes_a_manual_page_for_each_subcommand_and_completion) {
  run_well("manual here");
  for (const char* name : {"espalier", "espalier-route", "espalier-generate-pgft", "espalier-doctor"})
    EXPECT_THAT(read(std::string("here/man1/") + name + ".1"), StartsWith(".TH \"ESPALIER")) << name;
  EXPECT_THAT(read("here/man1/espalier-route.1"), HasSubstr("\\-\\-verify"));
  EXPECT_FALSE(exists("here/man1/espalier-throughput.1")) << "it comes with its own package";
  const std::string complete = "bash -c '. \"" + path("here/completions/espalier") +
                               "\"; COMP_WORDS=(espalier verify --traffic \"\"); COMP_CWORD=3; _espalier; "
                               "[[ \"${COMPREPLY[*]}\" == *end-ports* ]]'";
  EXPECT_EQ(std::system(complete.c_str()), 0);  // NOLINT
  write("file", "");
  EXPECT_THAT(refusal_of("manual file"), HasSubstr("file/man1: cannot create: Not a directory"));
}

TEST_F(Command, hands_over_what_needs_the_package_of_models_and_nothing_else) {
  EXPECT_THAT(run_well("help throughput"), HasSubstr("--model"));
  EXPECT_THAT(run_well("--help"), HasSubstr("Subcommands of the package espalier-models"));
  run_well("generate pgft \"2;4,8;1,4;1,1\" -o net");
  run_well("route net --engine dmodc -o lfts");
  const std::string flows = "simulate net lfts --patterns sp --json";
  EXPECT_THAT(run_well(flows), HasSubstr("\"seconds\":"));
  // Alone in a folder, with nothing in PATH.
  EXPECT_EQ(std::system(("cp '" ESPALIER_COMMAND "' '" + path("espalier") + "'").c_str()), 0);  // NOLINT
  const auto alone = [&](const std::string& arguments) {
    return std::system(  // NOLINT
        fmt::format("cd '{}' && PATH=/nowhere ./espalier {} >alone 2>told", path(""), arguments).c_str());
  };
  for (const std::string& words : {flows, "--quiet " + flows, std::string("help throughput")}) {
    EXPECT_NE(alone(words), 0) << words;
    EXPECT_THAT(read("told"), HasSubstr("needs the package espalier-models, which is not installed; install it"))
        << words;
  }
  EXPECT_EQ(alone(flows + " --load full"), 0) << read("told");
  EXPECT_THAT(read("alone"), HasSubstr("\"throughput\":1"));
  EXPECT_EQ(alone("generate dragonfly 1,2,1,3 -o d.net"), 0) << read("told");
  EXPECT_EQ(alone("simulate d.net --packets --policy min --load 0.1 --cycles 500 --json"), 0) << read("told");
  EXPECT_THAT(read("alone"), HasSubstr("\"packet_hops\":"));
}

}  // namespace
}  // namespace espalier::test
