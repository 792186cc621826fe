// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier check`, mostly on files as somebody writes them by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Two leaves with two hosts each, two spines; every line of it right.
constexpr const char* kSound = R"(Switch 4 "leaf1"
[1] "host1"[1]
[2] "host2"[1]
[3] "spine1"[1] # 4xEDR
[4] "spine2"[1] # 4xEDR

Switch 4 "leaf2"
[1] "host3"[1]
[2] "host4"[1]
[3] "spine1"[2]
[4] "spine2"[2]

Switch 4 "spine1"
[1] "leaf1"[3]
[2] "leaf2"[3]

Switch 4 "spine2"
[1] "leaf1"[4]
[2] "leaf2"[4]

Ca 1 "host1"
[1] "leaf1"[1]

Ca 1 "host2"
[1] "leaf1"[2]

Ca 1 "host3"
[1] "leaf2"[1]

Ca 1 "host4"
[1] "leaf2"[2]
)";

class Check : public EspalierCommand {
 protected:
  // kSound with the first `from` replaced by `to`.
  [[nodiscard]] Outcome check_with(const std::string& from, const std::string& to) const {
    write("net", replaced(kSound, from, to));
    return run("check net");
  }

  [[nodiscard]] static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST_F(Check, finds_nothing_in_a_sound_file) {
  write("net", kSound);
  const std::string out = run_well("check net");
  EXPECT_THAT(out, HasSubstr("shape: levels of 2, 2 switches from the leaves up, 4 end ports"));
  EXPECT_THAT(out, ::testing::EndsWith("\nclean\n"));
}

TEST_F(Check, finds_nothing_in_what_the_generators_write) {
  for (const char* what :
       {"pgft '3;2,2,3;1,2,2;1,2,1'", "qft '3;4,2,4;1,2,2;1,2,1'", "megafly '5;2,2,2;2'", "directors '20,2,4;2,12'",
        "kary '3,3' --aggregation-nodes --service-hosts 2 --leaf-links 1"}) {
    run_well(std::string("generate ") + what + " -o net");
    EXPECT_THAT(run_well("check net"), HasSubstr("clean")) << what;
  }
}

TEST_F(Check, reports_a_port_used_twice_with_both_lines) {
  const Outcome outcome = check_with("[2] \"leaf2\"[3]\n", "[2] \"leaf2\"[3]\n[2] \"leaf2\"[4]\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("net:16: a second line for \"spine1\"[2]; the first is line 15\n"),
                                 HasSubstr("1 finding\n")));
}

TEST_F(Check, reports_a_link_that_one_end_does_not_know) {
  const Outcome outcome = check_with("[2] \"leaf2\"[4]\n", "");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("net:11: only \"leaf2\"[4] lists its cable to \"spine2\"[2]"));
}

TEST_F(Check, reports_ends_that_contradict_each_other) {
  const Outcome outcome = check_with("[2] \"leaf2\"[4]", "[2] \"leaf1\"[2]");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("but line"));
}

TEST_F(Check, reports_two_speeds_of_one_link) {
  const Outcome outcome = check_with("[1] \"leaf1\"[3]\n", "[1] \"leaf1\"[3] # 4xQDR\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("net:4: \"leaf1\"[3] runs at 4xEDR, but according to line 14 its other end "
                                     "\"spine1\"[1] runs at 4xQDR"));
}

TEST_F(Check, reports_a_cable_from_a_switch_to_itself) {
  const std::string loop = "[7] \"leaf1\"[8]\n[8] \"leaf1\"[7]\n";
  write("net", replaced(replaced(kSound, "Switch 4 \"leaf1\"", "Switch 8 \"leaf1\""), "[3] \"spine1\"[1] # 4xEDR\n",
                        "[3] \"spine1\"[1] # 4xEDR\n" + loop));
  const Outcome outcome = run("check net");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("looped cable: a cable joins ports 7 and 8 of "), HasSubstr("1 finding\n")));
  run_well("check net --plan net");
}

TEST_F(Check, reports_nodes_without_a_link_once) {
  const Outcome outcome = check_with("Ca 1 \"host1\"", "Ca 1 \"lonely\"\n\nSwitch 8 \"spare\"\n\nCa 1 \"host1\"");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"lonely\" has no cable"), HasSubstr("(spare) has no cable")));
}

TEST_F(Check, reports_guids_and_lids_that_are_given_twice) {
  std::string text = kSound;
  text.replace(text.find("Switch 4 \"spine1\""), 17, "switchguid=0xabcd0(abcd0)\nSwitch 4 \"spine1\" # \"s\" lid 7");
  text.replace(text.find("Switch 4 \"spine2\""), 17, "switchguid=0xabcd0(abcd0)\nSwitch 4 \"spine2\"");
  text.replace(text.find("Switch 4 \"leaf1\""), 16, "Switch 4 \"leaf1\" # \"l\" lid 7 lmc 0");
  write("net", text);
  const Outcome outcome = run("check net");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("both have the GUID 0x00000000000abcd0"), HasSubstr("LID 7 belongs to"),
                                 HasSubstr("nodes have a LID and")));
}

TEST_F(Check, reports_everything_in_one_go) {
  std::string text = kSound;
  text.replace(text.find("[1] \"host1\"[1]"), 14, "[99] \"host1\"[1]");  // no such port
  text.replace(text.find("[1] \"host3\"[1]"), 14, "[1] host3 1");        // no line of a net file
  text += "\nCa 1 \"host4\"\n[1] \"spine1\"[3]\n";                       // a second block
  write("net", text);
  const Outcome outcome = run("check net");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("net:2: "), HasSubstr("net:8: "), HasSubstr("net:33: a second block")));
  EXPECT_THAT(outcome.out, HasSubstr("shape: levels of 2, 2 switches"));
}

TEST_F(Check, reports_what_is_missing_and_tells_of_what_may_be_on_purpose) {
  write("net", loose_ends());
  EXPECT_THAT(run("check net").out, AllOf(HasSubstr("disconnected part: "), HasSubstr("uncabled end port: ")));
  write("net", missing_parallel_link());
  EXPECT_THAT(run("check net").out, AllOf(HasSubstr("missing parallel link: "), HasSubstr("\n1 finding\n")));
  run_well("generate kary 3,3 --aggregation-nodes --service-hosts 2 --leaf-links 1 -o net");
  EXPECT_THAT(run_well("check net"),
              AllOf(HasSubstr("shape: 1 same-level link, possibly intended; "),
                    HasSubstr("shape: 2 switches above others have hosts, possibly intended; one: "),
                    HasSubstr("shape: aggregation nodes, ")));
}

TEST_F(Check, shortens_long_lists) {
  write("net", test::pgft("2;2,100;1,2;1,1"));
  run_well("degrade net --links 30 --seed 1 -o broken");
  const Outcome outcome = run("check broken");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(" more of these\n"));
}

TEST_F(Check, compares_with_a_plan) {
  run_well("generate pgft '2;12,8;1,6;1,1' -o plan");
  run_well("degrade plan --links 1 --seed 3 -o now");
  const Outcome outcome = run("check now --plan plan --json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"kind\": \"missing link\""), HasSubstr("\"expected\": ")));
  run_well("check plan --plan plan");
  EXPECT_EQ(run("check plan --plan now").code, 1) << "a link that the plan does not have";
}

TEST_F(Check, tells_of_a_stray_cable_at_the_port_that_the_plan_has_for_another) {
  write("plan", kSound);
  const std::string now = replaced(replaced(replaced(kSound, "[3] \"spine1\"[1] # 4xEDR\n", ""),  //
                                            "[1] \"leaf1\"[3]", "[1] \"spine2\"[3]"),
                                   "[1] \"leaf1\"[4]", "[1] \"leaf1\"[4]\n[3] \"spine1\"[1]");
  write("now", now);
  const Outcome outcome = run("check now --plan plan");
  EXPECT_THAT(outcome.out, HasSubstr("leaf1/3 has no cable; according to the plan it goes to spine1/1"));
  EXPECT_THAT(outcome.out, HasSubstr("spine1/1 is cabled to spine2/3; according to the plan it goes to leaf1/3"));
}

TEST_F(Check, refuses_what_describes_no_fabric) {
  for (const char* text : {"", "hello\n", "# only a remark\n"}) {
    write("net", text);
    const Outcome outcome = run("check net");
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_THAT(outcome.out, Not(HasSubstr("finding"))) << text;
  }
  EXPECT_EQ(run("check nowhere").code, 2);
}

TEST_F(Check, reads_from_standard_input) {
  write("net", kSound);
  EXPECT_THAT(run_well("check - <net"), HasSubstr("clean"));
}

}  // namespace
}  // namespace espalier::test
