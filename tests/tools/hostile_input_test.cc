// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Input that somebody else wrote, options that mean something else than they seem to, and questions about nothing.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

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

TEST_F(HostileInput, takes_a_pipe_that_a_person_names) { run_well("verify - lfts <tree"); }

}  // namespace
}  // namespace espalier::test
