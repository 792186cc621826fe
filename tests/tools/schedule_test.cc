// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier schedule`: made, written and judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/drawing.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string without_last_flow(const std::string& text) { return text.substr(0, text.rfind('\n', text.size() - 2) + 1); }

// The line "# flows N" says one less.
std::string with_one_flow_less(std::string text) {
  const std::size_t at = text.find("# flows ") + 8;
  const std::size_t end = text.find('\n', at);
  return text.replace(at, end - at, std::to_string(std::stoul(text.substr(at, end - at)) - 1));
}

class ScheduleCommand : public EspalierCommand {
 protected:
  void SetUp() override { write("net", draw("L0:2 L1:2 L2:2 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1")); }
};

TEST_F(ScheduleCommand, makes_what_it_finds_good_as_binary_and_as_text) {
  const Outcome made = run("schedule net -o s.esp --text s.txt --lfts lfts");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("6 servers, mode block, LMC 0: 6 phases, lower bound 6"));
  const std::string good = "congestion-free: 6 servers meet in 6 phases (lower bound 6), 30 flows share no link\n";
  EXPECT_EQ(run_well("schedule --check net lfts s.esp"), good);
  EXPECT_EQ(run_well("schedule --check net lfts s.txt"), good);
  run_well("schedule net --lmc 1 -o s.esp --lfts lfts");
  EXPECT_EQ(run_well("schedule --check net lfts s.esp --lmc 1"), good);
  EXPECT_EQ(run_well("schedule --check net lfts s.esp"), good) << "the tables say their LMC, as for verify";
}

TEST_F(ScheduleCommand, says_what_is_wrong_with_a_schedule) {
  run_well("schedule net --text s.txt --lfts lfts");
  write("cut.txt", without_last_flow(read("s.txt")));
  EXPECT_EQ(run("schedule --check net lfts cut.txt").code, 2) << "it says how many flows it has";
  write("short.txt", with_one_flow_less(without_last_flow(read("s.txt"))));
  const Outcome outcome = run("schedule --check net lfts short.txt");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, StartsWith("missing pair: 1 times, first 0x"));
}

TEST_F(ScheduleCommand, finds_the_least_lmc_that_meets_the_bound) {
  run_well("generate pgft '2;4,4;1,4;1,1' --missing-hosts 5 --seed 1 -o scattered");
  const std::string tried = run("schedule scattered --lmc min -o s.esp --lfts lfts").err;
  EXPECT_THAT(tried, HasSubstr("LMC 0: 12 phases, lower bound 11\n"));
  EXPECT_THAT(tried, HasSubstr("LMC 1: 11 phases, lower bound 11\n"));
  EXPECT_THAT(tried, Not(HasSubstr("LMC 2")));
  EXPECT_THAT(run_well("schedule --check scattered lfts s.esp --lmc 1"), HasSubstr("11 servers meet in 11 phases"));
  EXPECT_THAT(refusal_of("schedule --check net lfts s.esp --lmc min"), HasSubstr("--lmc min does not go with --check"));
}

TEST_F(ScheduleCommand, says_the_fewest_phases_where_no_lmc_meets_the_bound) {
  write("skewed", draw("L0:2 L1:1 L2:1 S0 S1; L0-S0 L1-S1 L2-S0 L2-S1"));
  const std::string tried = run("schedule skewed --lmc min -o s.esp --lfts lfts").err;
  for (const char* lmc : {"LMC 0: 4", "LMC 1: 4", "LMC 7: 4", "4 servers, mode paths, LMC 0: 4 phases, lower bound 3"})
    EXPECT_THAT(tried, HasSubstr(lmc));
  EXPECT_THAT(run_well("schedule --check skewed lfts s.esp"), StartsWith("congestion-free: 4 servers meet"));
}

TEST_F(ScheduleCommand, leaves_out_pairs_that_no_cable_connects) {
  write("parts", draw("L0:2 L1:2 L2:2 S0; L0-S0 L1-S0"));
  const Outcome made = run("schedule parts -o s.esp --lfts lfts");
  EXPECT_EQ(made.code, 0) << made.err;
  const std::string told =
      "the 6 servers are in 2 parts of the fabric that no cable connects: only servers of the same part";
  EXPECT_THAT(made.err, HasSubstr(told));
  EXPECT_THAT(run_well("schedule --check parts lfts s.esp"), HasSubstr("14 flows share no link"));
}

// The exchange of each part has a bound of its own: four servers over one link of each leaf, and two on one leaf.
TEST_F(ScheduleCommand, bounds_the_exchange_of_each_part) {
  write("parts", draw("L0:2 L1:2 L2:2 S0; L0-S0 L1-S0"));
  EXPECT_THAT(run("schedule parts -o s.esp").err, HasSubstr("4 phases, lower bound 4"));
  write("alone", draw("L0:2 L1:3"));
  EXPECT_THAT(run("schedule alone -o s.esp").err, HasSubstr("5 servers, mode paths, LMC 0: 2 phases, lower bound 2"));
}

// With one server on each leaf all have their own parts at the same time; uneven leaves need no phase for them.
TEST_F(ScheduleCommand, has_no_phase_in_which_nobody_sends) {
  write("single", draw("L0:1 L1:1 L2:1 S0 S1; L0-S0 L0-S1 L1-S0 L1-S1 L2-S0 L2-S1"));
  EXPECT_THAT(run("schedule single -o s.esp --lfts lfts").err, HasSubstr("LMC 0: 2 phases, lower bound 2"));
  EXPECT_THAT(run_well("schedule --check single lfts s.esp"), HasSubstr("3 servers meet in 2 phases (lower bound 2)"));
  write("uneven", draw("L0:1 L1:3 S0 S1 S2; L0-S0 L0-S1 L0-S2 L1-S0 L1-S1 L1-S2"));
  EXPECT_THAT(run("schedule uneven -o s.esp").err, HasSubstr("LMC 0: 3 phases, lower bound 3"));
}

TEST_F(ScheduleCommand, passes_blocks_round_a_ring) {
  const Outcome made = run("schedule net --allgather -o ring.esp --text ring.txt --lfts lfts");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("5 phases, lower bound 5"));
  EXPECT_THAT(run_well("schedule --check --allgather net lfts ring.esp"), StartsWith("congestion-free: 6 servers"));
  EXPECT_EQ(run("schedule --check net lfts ring.esp").code, 1);
  write("short.txt", with_one_flow_less(without_last_flow(read("ring.txt"))));
  const Outcome outcome = run("schedule --check --allgather net lfts short.txt");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("no AllGather: 0x"));
}

TEST_F(ScheduleCommand, schedules_a_given_matrix) {
  write("matrix", "h0 h2 3\nh1 h4\nh5 h0 2\nh2 h3\n");
  const Outcome made = run("schedule net --matrix matrix -o m.esp --lfts lfts");
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("3 phases, lower bound 3"));
  EXPECT_THAT(run_well("schedule --check --matrix matrix net lfts m.esp"), HasSubstr("7 flows share no link"));
  EXPECT_EQ(run("schedule --check net lfts m.esp").code, 1);
}

TEST_F(ScheduleCommand, refuses_what_it_cannot_do) {
  write("half", "h0 h2 0.5\n");
  const Outcome half = run("schedule net --matrix half -o m.esp");
  EXPECT_EQ(half.code, 2);
  EXPECT_THAT(half.err, HasSubstr("half: 0.5 messages from "));
  EXPECT_EQ(run("schedule net --matrix half --allgather -o m.esp").code, 2);
  EXPECT_THAT(run("schedule net").err, HasSubstr("nothing to write"));
  EXPECT_THAT(run("schedule --check net").err, HasSubstr("takes three files: NET LFTS SCHEDULE"));
  EXPECT_THAT(run("schedule net --mode spine -o m.esp").err, HasSubstr("needs LMC 1"));
}

}  // namespace
}  // namespace espalier::test
