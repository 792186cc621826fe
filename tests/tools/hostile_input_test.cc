// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Input that somebody else wrote, options that mean something else than they seem to, and questions about nothing.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HostileInput : public EspalierCommand {
 protected:
  HostileInput() {
    run_well("generate pgft '2;4,4;1,4;1,1' -o tree");
    run_well("route tree -o lfts");
  }

  // The tree with another description for its first host.
  void name_a_host(const std::string& description) {
    std::string net = read("tree");
    const std::string old = "\"host 0\"";
    ASSERT_NE(net.find(old), std::string::npos);
    for (std::size_t at = 0; (at = net.find(old, at)) != std::string::npos; at += description.size())
      net.replace(at, old.size(), '"' + description + '"');
    write("named", net);
  }
};

TEST_F(HostileInput, makes_a_number_that_does_not_fit_an_error) {
  for (const char* arguments :
       {"degrade tree --links 1 --seed 18446744073709551616", "degrade tree --links 1 --seed -1",
        "degrade tree --links 1 --seed 0x10", "degrade tree --links 010x", "route tree --storage-share nan",
        "route tree --storage-share inf", "route tree --seed 99999999999999999999", "route tree -j 4294967297",
        "route tree --balance-ms +5", "schedule tree --text - --epoch 18446744073709551616",
        "analyze tree lfts --patterns rp:nan", "analyze tree lfts --patterns rp:auto:nan",
        "analyze tree lfts --patterns sp:4294967297"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("espalier: ")) << arguments;
  }
}

TEST_F(HostileInput, refuses_an_offset_that_no_destination_has) {
  const Outcome outcome = run("analyze tree lfts --patterns a2a --lid-offset 5");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is no LID offset 5: the hosts have LMC 0"));
  run_well("analyze tree lfts --patterns a2a --lid-offset 0");
  run_well("route tree --lmc 2 -o lfts2");
  run_well("analyze tree lfts2 --lmc 2 --patterns a2a --lid-offset 3");
  EXPECT_EQ(run("analyze tree lfts2 --lmc 2 --patterns a2a --lid-offset 4").code, 2);
}

TEST_F(HostileInput, says_yes_to_nothing_without_a_proof) {
  run_well("schedule tree --lmc 2 -o schedule.esp --text schedule.txt --lfts schedule.lfts");
  const std::string check = "schedule tree schedule.lfts --lmc 2 --check ";
  run_well(check + "schedule.txt");
  const std::string text = read("schedule.txt");
  write("header", text.substr(0, text.find("# bound")));
  write("cut", text.substr(0, text.size() / 2));
  write("empty", "");
  for (const char* file : {"header", "cut", "empty", "/dev/null"}) {
    const Outcome outcome = run(check + file);
    EXPECT_EQ(outcome.code, 2) << file << outcome.out;
    EXPECT_THAT(outcome.out, Not(HasSubstr("congestion-free"))) << file;
  }
  write("no_switch", "Ca 1 \"H-1\" # \"host\"\n");
  for (const char* arguments :
       {"verify no_switch empty", "verify no_switch lfts", "verify empty empty", "verify /dev/null lfts"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.out;
    EXPECT_THAT(outcome.out, Not(HasSubstr("sound"))) << arguments;
  }
}

TEST_F(HostileInput, lets_no_name_command_the_terminal) {
  name_a_host(
      "\x1B[31mred \xC2\x9B"
      "2J \x9B"
      "5m\xFF");
  for (const char* arguments : {"types named", "check named", "explain named lfts --from 'LID' --to nobody",
                                "explain named lfts --hot-links 3", "convert named --to csv -o -"}) {
    const Outcome outcome = run(arguments);
    for (const std::string& printed : {outcome.out, outcome.err}) {
      EXPECT_THAT(printed, Not(HasSubstr("\x1B"))) << arguments;
      EXPECT_THAT(printed, Not(HasSubstr("\xC2\x9B"))) << arguments;
      EXPECT_THAT(printed, Not(HasSubstr("\x9B"
                                         "5m")))
          << arguments;
    }
  }
  EXPECT_THAT(run("verify 'no\x1B[31mfile' lfts").err, HasSubstr("no\\x1b[31mfile"));
}

TEST_F(HostileInput, writes_json_that_everybody_reads) {
  name_a_host(
      "caf\xE9 \xC2\x9B"
      "2J");
  for (const char* arguments : {"types named --json", "explain named lfts --from 'host 1' --to 'host 2' --json",
                                "convert named --to json -o -", "analyze named lfts --patterns a2a --json"}) {
    const std::string json = run_well(arguments);
    EXPECT_TRUE(nlohmann::json::accept(json)) << arguments;
    EXPECT_THAT(json, Not(HasSubstr("\xC2\x9B"))) << arguments;
  }
}

TEST_F(HostileInput, writes_no_formulas_for_spreadsheets) {
  name_a_host("=HYPERLINK(1)");
  const std::string all = run_well("convert named --to csv-end-ports -o -") + run_well("convert named --to csv -o -");
  EXPECT_THAT(all, HasSubstr("\"'=HYPERLINK(1)\""));
  EXPECT_THAT(all, Not(HasSubstr("\"=HYPERLINK")));
}

TEST_F(HostileInput, reads_no_device) {
  const Outcome outcome = run("verify /dev/zero lfts");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/dev/zero: is a device"));
}

TEST_F(HostileInput, says_in_one_line_that_nothing_can_be_written) {
  for (const char* arguments : {"convert tree --to json >/dev/full", "route tree --quiet >/dev/full",
                                "verify tree lfts >/dev/full", "route --help >/dev/full", "route tree -o none/lfts"})
    EXPECT_EQ(std::ranges::count(refusal_of(arguments), '\n'), 1) << arguments;
  EXPECT_THAT(refusal_of("route tree -o none/lfts"), HasSubstr("none/lfts: there is no folder none; create it first"));
}

TEST_F(HostileInput, names_bad_lines_also_when_quiet) {
  write("flows", "9 10\nnobody 11\n");
  const std::string told = refusal_of("route tree --flows flows --quiet -o none");
  EXPECT_THAT(told, StartsWith("espalier: flows:2: there is no host named \"nobody\""));
  EXPECT_THAT(told, HasSubstr("espalier: flows: 1 bad line; nothing was routed"));
}

TEST_F(HostileInput, quotes_no_more_of_a_file_than_a_terminal_bears) {
  write("zeros", std::string(1500, '\0'));
  EXPECT_LT(refusal_of("route tree --roots zeros").size(), 1500U);
  const std::string deep = std::string(60'000, '(') + std::string(60'000, ')');
  EXPECT_THAT(refusal_of("convert tree --to slurm --rail '" + deep + "'"), HasSubstr("at most 1000 are allowed"));
}

TEST_F(HostileInput, says_which_file_and_word_is_wrong) {
  write("nobody", "# none\n");
  EXPECT_THAT(refusal_of("schedule tree --participants nobody -o schedule"), HasSubstr("nobody: it names no host"));
  write("stranger", "0x1234\n");
  EXPECT_THAT(refusal_of("schedule tree --participants stranger -o schedule"),
              HasSubstr("stranger: the participant 0x0000000000001234 is not a host"));
  EXPECT_THAT(refusal_of("record tree --trace nobody"), HasSubstr("nobody: no message goes"));
  EXPECT_THAT(refusal_of("simulate tree --packets --policy paths --paths nobody --load 0.1"),
              HasSubstr("nobody: it lists no path"));
  EXPECT_THAT(refusal_of("analyze tree lfts --lid-offset nobody"), HasSubstr("nobody: it chooses no LID offset"));
  write("cables", "0 0 9 0\n");
  EXPECT_THAT(refusal_of("generate dragonfly 2,4,2,9 --arrangement cables"), HasSubstr("cables: there is no group 9"));
  write("paths", "0x2c90100000001 nobody 1\n");
  EXPECT_THAT(refusal_of("simulate tree --packets --policy paths --paths paths"),
              HasSubstr("paths:1: \"nobody\" is not a GUID"));
  write("mark",
        "\xEF\xBB\xBF"
        "0 0 1 0\n");
  run_well("generate dragonfly 2,4,2,9 --arrangement mark -o df");
  ASSERT_EQ(std::system(("ln -s loop '" + path("loop") + "'").c_str()), 0);  // NOLINT
  EXPECT_THAT(refusal_of("route tree --host-order loop"), HasSubstr("espalier: loop: cannot open: Too many levels"));
}

TEST_F(HostileInput, takes_a_pipe_that_a_person_names) { run_well("verify - lfts <tree"); }

}  // namespace
}  // namespace espalier::test
