// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Options that all subcommands share: --json, and what those that write files say with it; one name, one meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tools/run_espalier.h"
#include "tests/tools/wait_until.h"

namespace espalier::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Options : public EspalierCommand {
 protected:
  [[nodiscard]] json object(const std::string& arguments) const { return json::parse(run_well(arguments)); }

  // Where the options of a subcommand with kinds are.
  [[nodiscard]] static std::string helped(const std::string& name) {
    return name == "generate" ? "generate pgft" : name == "graph" ? "graph net" : name;
  }

  // The subcommands that --help lists: two blanks, then the name.
  [[nodiscard]] std::set<std::string> subcommands() const {
    std::set<std::string> names;
    std::istringstream help(run_well("--help"));
    bool in_list = false;
    for (std::string line; std::getline(help, line);) {
      if (line.starts_with("Subcommands")) in_list = true;
      if (in_list && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
        names.insert(line.substr(2, line.find(' ', 2) - 2));
      if (line.empty() && !names.empty()) in_list = false;
    }
    return names;
  }
};

TEST_F(Options, json_is_there_in_every_subcommand) {
  const std::set<std::string> names = subcommands();
  ASSERT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    if (name == "manual") continue;  // its result are pages
    EXPECT_THAT(run_well(helped(name) + " --help"), HasSubstr("--json")) << name;
  }
}

// Files, numbers and words are told apart, and a page fits a window.
TEST_F(Options, say_what_they_take) {
  for (const std::string& name : subcommands()) {
    const std::string help = run_well(helped(name) + " --help");
    for (const char* type : {"TEXT", "UINT", "FLOAT", "ENUM", "Needs:", "--help-all"})
      EXPECT_THAT(help, Not(HasSubstr(type))) << name;
    std::istringstream lines(help);
    for (std::string line, before; std::getline(lines, line); before = line)
      if (!before.starts_with("Example")) {
        EXPECT_LE(line.size(), 100U) << name << ": " << line;
      }
  }
  const std::string help = run_well("route --help");
  EXPECT_THAT(help, HasSubstr("\n  NET                         Net file"));
  EXPECT_THAT(help, HasSubstr("\n  --roots FILE "));
  EXPECT_THAT(help, ContainsRegex("\n  -e,--engine ENGINE +Routing engine \\(one of dmodc, balanced"));
  EXPECT_THAT(help, ContainsRegex("\n  --vls NUMBER [^(]*\\(1,[ \n]+2, 4, 8 or 15; default: 8\\)\n"));
  EXPECT_THAT(run_well("--help"), HasSubstr("--help-all"));
}

// "-o,--output": whoever has the long name has the short one, and no short name means two things.
TEST_F(Options, are_called_the_same_everywhere) {
  std::map<std::string, std::string> long_of, short_of;
  for (const std::string& name : subcommands()) {
    const std::string help = run_well(helped(name) + " --help");
    const std::regex option("\n  (?:(-[a-zA-Z]),)?(--[a-z-]+)");
    for (auto at = std::sregex_iterator(help.begin(), help.end(), option); at != std::sregex_iterator(); ++at) {
      const std::string brief = (*at)[1], full = (*at)[2];
      EXPECT_EQ(short_of.try_emplace(full, brief).first->second, brief) << full << " of " << name;
      if (!brief.empty()) {
        EXPECT_EQ(long_of.try_emplace(brief, full).first->second, full) << brief << " of " << name;
      }
    }
  }
  EXPECT_EQ(short_of["--output"], "-o");
  EXPECT_EQ(short_of["--engine"], "-e");
}

TEST_F(Options, json_tells_sizes_of_what_was_made_changed_or_broken) {
  json size = object("generate pgft '2;4,6;1,4;1,1' -o net --json");
  EXPECT_EQ(size, json({{"hosts", 24}, {"end_ports", 24}, {"switches", 10}, {"links", 24}}));

  size = object("modify net --service-hosts 2 --aggregation-nodes -o odd --json");
  EXPECT_EQ(size["before"]["hosts"], 24);
  EXPECT_EQ(size["hosts"], 26);
  EXPECT_EQ(size["end_ports"], 36) << "an Aggregation Node on each switch is no host";

  size = object("degrade net --links 3 --switches 1 --endports 2 -o broken --json");
  EXPECT_EQ(size["switches"], 9);
  EXPECT_EQ(size["hosts"], 22);
  EXPECT_EQ(size["removed"]["switches"], 1);
  EXPECT_EQ(size["removed"]["hosts"], 2);
  EXPECT_EQ(size["links"].get<int>() + size["removed"]["links"].get<int>(), 24);
}

TEST_F(Options, say_which_words_they_know) {
  EXPECT_THAT(refusal_of("route net --gxmodk-mode x"), HasSubstr("x not in {interleaved,grouped,auto}"));
  EXPECT_THAT(refusal_of("simulate net --packets --measure x"), HasSubstr("x not in {fill,phits}"));
}

TEST_F(Options, that_would_do_nothing_are_refused) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  for (const auto& [arguments, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"analyze net -e dmodc --patterns sp --io-guids g", "--io-guids is for --patterns phase:A:B"},
           {"analyze net -e dmodc --patterns ring:2 --bound", "--bound is for the patterns a2a, sp, rp and phase"},
           {"compare net --engines dmodc --trials 3", "--trials is for --damage"},
           {"compare net --engines dmodc --runner r", "--runner is for --stock"},
           {"compare net --engines dmodc --retry", "--retry is for --json"},
           {"convert net --to csv --roots r", "--roots is for formats with levels"},
           {"convert net --to dot --rail mlx5_0", "--rail is for --to slurm"},
           {"explain net -e dmodc --credit-loop --rows 5", "--rows is for --share and --against"},
           {"explain net -e dmodc --credit-loop --pattern sp", "--pattern is for --hot-links"},
           {"explain net -e dmodc --hot-links 2 --lanes l", "--lanes is for --credit-loop, and for --from and --to"},
           {"graph net net --ksp-ties lex", "--ksp-ties is for --paths ksp:K"},
           {"record net --trace t --seconds 5", "--seconds is for --live"},
           {"schedule net l s --check -o out", "--output is for schedules that are made, not for --check"},
           {"watch log --once --interval 3", "--once"}})
    EXPECT_THAT(refusal_of(arguments), HasSubstr(why)) << arguments;
}

// --host-order as it was called before.
TEST_F(Options, order_is_understood_but_no_longer_shown) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  EXPECT_THAT(run_well("analyze --help"), Not(HasSubstr("--order")));
  EXPECT_EQ(run_well("analyze net -e dmodc --patterns rp:3 --order lid"),
            run_well("analyze net -e dmodc --patterns rp:3 --host-order lid"));
  run_well("manual pages; cat $(find pages -type f) >all");
  for (const char* written : {" --order", "\\-\\-order"}) EXPECT_THAT(read("all"), Not(HasSubstr(written)));
}

TEST_F(Options, json_tells_of_routes_schedules_pages_and_formats) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  const json routed = object("route net -e dmodc --verify -o lfts --json");
  EXPECT_EQ(routed["engine"], "dmodc");
  EXPECT_EQ(routed["switches"], 10);
  EXPECT_EQ(routed["vls"], 1);
  EXPECT_EQ(routed["verified"], true);
  EXPECT_GE(routed["route_ms"], 0.0);
  EXPECT_FALSE(object("route net -e dmodc -o lfts --json").contains("verify_ms"));

  const json made = object("schedule net -o plan --lfts plan.lfts --json");
  EXPECT_EQ(made["servers"], 24);
  EXPECT_EQ(made["phases"], made["bound"]);
  const json checked = object("schedule --check net plan.lfts plan --json");
  EXPECT_EQ(checked["congestion_free"], true);
  EXPECT_EQ(checked["flows"], 24 * 23);
  EXPECT_THAT(checked["faults"], IsEmpty());
  const Outcome wrong = run("schedule --check net lfts plan --json");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_FALSE(json::parse(wrong.out)["faults"].empty());

  const json pages = object("report net lfts balanced -o page.html --json")["pages"];
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0]["sound"], true);
  EXPECT_EQ(pages[1]["facts"]["Hosts"], "24");

  const json converted = object("convert net --to slurm -o topology.conf --json");
  EXPECT_EQ(converted["to"], "slurm");
  EXPECT_EQ(converted["bytes"], read("topology.conf").size());
}

TEST_F(Options, json_does_not_mix_with_a_result_on_standard_output) {
  run_well("generate pgft '2;4,6;1,4;1,1' -o net");
  for (const char* arguments : {"generate pgft '2;4,6;1,4;1,1' --json", "modify net --json", "degrade net --json",
                                "convert net --to net --json", "route net --json", "schedule net --text - --json",
                                "report net --engine dmodc --json -o -"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("--json and the result cannot both go to standard output")) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
}

TEST_F(Options, json_has_numbers_that_a_person_can_read) {
  run_well("generate pgft '2;4,6;1,2;1,1' -o net");
  const std::string out = run_well("analyze net --engine dmodc --patterns sp,rp:30 --json");
  std::size_t digits = 0, most = 0;
  for (const char c : out) {
    digits = c >= '0' && c <= '9' ? digits + 1 : c == '.' ? digits : 0;
    most = std::max(most, digits);
  }
  EXPECT_LE(most, 10U) << out;
}

TEST_F(Options, json_of_watch_has_the_last_runs) {
  write("log", "{\"engine\":\"dmodc\",\"under_lock_ms\":1.5}\nno run\n{\"engine\":\"balanced\",\"under_lock_ms\":2}\n");
  const json last = object("watch log --once -n 1 --json");
  ASSERT_EQ(last["runs"].size(), 1U);
  EXPECT_EQ(last["runs"][0]["engine"], "balanced");
  EXPECT_EQ(last["other_lines"], 1);
  EXPECT_EQ(run("watch log --json").code, 2) << "it would never end";
}

TEST_F(Options, watch_goes_on_when_the_log_is_rotated) {
  write("log", "{\"engine\":\"dmodc\",\"under_lock_ms\":1.5}\n");
  write("rest", "er_lock_ms\":2}\n");
  const Outcome outcome = run("watch log --interval 0.1 & watch=$!; " + kWaitUntil +
                              "wait_until grep -q dmodc .out; mv log log.1; wait_until grep -q 'no such file' .out; "
                              "cat rest >log; wait_until grep -q 'not a line' .out; cp log.1 log; "
                              "shows_run() { tail -n 1 .out | grep -q dmodc; }; wait_until shows_run; kill $watch");
  EXPECT_EQ(outcome.code, 0) << "it had ended";
  const std::size_t gone = outcome.out.find("log: there is no such file");
  ASSERT_NE(gone, std::string::npos) << outcome.out;
  const std::size_t torn = outcome.out.find("log:1: not a line", gone);
  ASSERT_NE(torn, std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("dmodc", torn), std::string::npos) << "the new log is shown";
}

TEST_F(Options, watch_shows_the_fabric_although_the_last_run_declined) {
  write("log",
        "{\"engine\":\"balanced\",\"run\":\"repaired\",\"under_lock_ms\":1.5,\"switches\":8}\n"
        "{\"engine\":\"balanced\",\"run\":\"declined\",\"under_lock_ms\":0,\"switches\":0}\n");
  EXPECT_NE(run_well("watch log --once").find("before the engine declined: 8 switches"), std::string::npos);
}

TEST_F(Options, watch_gives_long_names_their_room) {
  write("log",
        "{\"engine\":\"dragonfly-rlm\",\"run\":\"routed\",\"under_lock_ms\":1.5}\n"
        "{\"engine\":\"dmodc\",\"run\":\"routed\",\"under_lock_ms\":1.5}\n");
  const std::string table = run_well("watch log --once");
  for (const char* row : {"engine        run", "dragonfly-rlm routed", "dmodc         routed"})
    EXPECT_NE(table.find(row), std::string::npos) << row << "\n" << table;
}

}  // namespace
}  // namespace espalier::test
