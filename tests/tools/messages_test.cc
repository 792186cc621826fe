// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the command says where a newcomer goes wrong: what it is, and what to write instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Messages : public EspalierCommand {
 protected:
  Messages() { run_well("generate pgft '2;3,4;1,3;1,1' -o net"); }
};

TEST_F(Messages, name_the_kinds_of_fabrics_and_graphs) {
  EXPECT_THAT(refusal_of("generate fattree '2;3'"), AllOf(HasSubstr("no kind fattree"), HasSubstr("pgft, ")));
  EXPECT_THAT(refusal_of("generate pgtf '2;3'"), HasSubstr("did you mean pgft?"));
  EXPECT_THAT(refusal_of("graph net.net"), HasSubstr("no kind net.net"));
  EXPECT_THAT(refusal_of("generate"), HasSubstr("requires a kind"));
  EXPECT_THAT(refusal_of("generate -o net pgft '2;3,4;1,3;1,1'"), HasSubstr("give -o after generate pgft"));
}

TEST_F(Messages, say_what_numbers_are_possible) {
  EXPECT_THAT(refusal_of("degrade net --links x"), HasSubstr("--links: \"x\" is not a whole number from 0 up"));
  EXPECT_THAT(refusal_of("degrade net --links -1"), HasSubstr("\"-1\" is not a whole number from 0 up"));
  EXPECT_THAT(refusal_of("route net --vls 3"), HasSubstr("1, 2, 4, 8 or 15 data lanes, not 3"));
  EXPECT_THAT(refusal_of("advise net --vls 16"), HasSubstr("1, 2, 4, 8 or 15 data lanes, not 16"));
}

TEST_F(Messages, tell_engines_of_opensm_from_those_of_espalier) {
  EXPECT_THAT(refusal_of("route net --engine minhop"), HasSubstr("see espalier compare --stock"));
  EXPECT_THAT(refusal_of("route net --engine nobody"), Not(HasSubstr("--stock")));
  EXPECT_THAT(refusal_of("compare net --stock mihop"), HasSubstr("neither an engine of OpenSM nor one of the plugin"));
  EXPECT_THAT(refusal_of("compare net --stock no_fallback"), HasSubstr("neither an engine of OpenSM"));
}

TEST_F(Messages, say_one_as_one) {
  write("narrow", "Switch 2 \"S-1\"\n[1] \"H-1\"[2]\nCa 1 \"H-1\"\n");
  EXPECT_THAT(refusal_of("rank narrow"), HasSubstr("which has only 1 port\n"));
  EXPECT_THAT(refusal_of("generate pgft '1;2,2;1;1' -o net"), HasSubstr("with 1 level m needs 1 number, not 2"));
}

// Alone in a folder, so that it finds no runner.
TEST_F(Messages, call_what_could_not_be_tried_not_run) {
  ASSERT_EQ(std::system(("cp '" ESPALIER_COMMAND "' '" + path("espalier") + "'").c_str()), 0);  // NOLINT
  const std::string advise = "cd '" + path("") + "' && ./espalier advise net --stock minhop >advice 2>told";
  ASSERT_EQ(std::system(advise.c_str()), 0) << read("told");  // NOLINT
  EXPECT_THAT(read("advice"), HasSubstr("minhop     not run: run_opensm.sh"));
  EXPECT_THAT(read("advice"), Not(HasSubstr("--runner")));
}

TEST_F(Messages, look_at_all_files_of_a_campaign_before_the_first_run) {
  const std::string told = refusal_of("compare net none --engines dmodc");
  EXPECT_THAT(told, HasSubstr("none: cannot open"));
  EXPECT_THAT(told, Not(HasSubstr("sound")));
}

TEST_F(Messages, warn_of_flows_without_flows) {
  EXPECT_THAT(run("route net --engine flows -o lfts").err, HasSubstr("give them with --flows FILE"));
  write("empty", "# nothing yet\n");
  EXPECT_THAT(run("route net --engine flows --flows empty -o lfts").err, HasSubstr("warning: empty: it has no flow"));
  EXPECT_THAT(run("analyze net lfts --patterns matrix:empty").err, HasSubstr("warning: empty: it has no flow"));
}

TEST_F(Messages, warn_of_the_reference_of_another_fabric) {
  run_well("generate pgft '2;18,36;1,18;1,1' -o other");
  run_well("route other --engine dmodc --save-reference foreign -o lfts");
  EXPECT_THAT(run("repair net --reference foreign -o new").err,
              HasSubstr("of the 54 switches of the reference are not in this fabric"));
  run_well("route net --save-reference reference -o lfts");
  run_well("degrade net --links 1 --seed 1 -o broken");
  EXPECT_THAT(run("repair broken --reference reference -o new").err, Not(HasSubstr("is it the reference")));
}

TEST_F(Messages, say_what_a_word_is_not) {
  run_well("route net -o lfts");
  EXPECT_THAT(
      refusal_of("analyze net lfts --patterns phase:compute:io"),
      AllOf(HasSubstr("\"compute\" is neither a type of host here nor a file"), HasSubstr("see espalier types")));
  EXPECT_THAT(refusal_of("route net --host-order host0,host1"), HasSubstr("names, topology, lid or files"));
  EXPECT_THAT(refusal_of("schedule net lfts plan"), HasSubstr("with LFTS and SCHEDULE, give --check"));
  write("garbage", "garbage\n");
  EXPECT_THAT(refusal_of("verify net lfts --lanes garbage"), HasSubstr("this is not a file of lanes"));
  EXPECT_THAT(refusal_of("watch garbage --once"), HasSubstr("garbage:1: not a line of performance_log"));
  make_folder("folder");
  EXPECT_THAT(refusal_of("watch folder --once"), HasSubstr("folder: this is no regular file"));
  write("empty", "");
  EXPECT_THAT(run_well("watch empty --once"), HasSubstr("no runs yet"));
  EXPECT_THAT(refusal_of("analyze net lfts --patterns advg:1"), HasSubstr("choose another pattern"));
}

TEST_F(Messages, say_that_a_credit_loop_was_seen_on_one_lane) {
  run_well("generate dragonfly 2,4,2,9 -o df");
  run_well("route df --engine dragonfly --lanes lanes -o lfts");
  EXPECT_THAT(run("verify df lfts").out, HasSubstr("judged on one virtual lane"));
  EXPECT_THAT(run_well("verify df lfts --lanes lanes"), HasSubstr("form no credit loop"));
}

TEST_F(Messages, speak_of_the_first_attempt_when_no_lmc_fits) {
  run_well("generate pgft '2;4,9;1,4;1,1' -o other");
  run_well("route other -o other.lfts");
  EXPECT_THAT(refusal_of("verify net other.lfts"), AllOf(HasSubstr("belong to another fabric"), Not(HasSubstr("LMC"))));
}

// opensm-subnet.lst says no LMC, and opensm.fdbs no owners.
TEST_F(Messages, give_base_lids_the_further_lids_of_an_lmc) {
  run_well("convert net --lmc 2 --to net -o spaced");
  run_well("route spaced -o tables");
  run_well("convert spaced tables --to fdbs -o opensm.fdbs");
  run_well("convert spaced --to subnet-lst -o opensm-subnet.lst");
  for (const char* more : {"", " --lmc 2"})
    EXPECT_THAT(run_well(std::string("verify opensm-subnet.lst opensm.fdbs") + more), HasSubstr("sound: ")) << more;
}

TEST_F(Messages, keep_the_lids_of_the_file_where_there_is_room) {
  run_well("convert net --lmc 3 --to net -o spaced");
  const std::string kept = run_well("route spaced --lmc 2");
  EXPECT_THAT(kept, HasSubstr("\n0x0013 "));
  EXPECT_FALSE(kept.find("\n0x0014 ") != std::string::npos) << "four LIDs of eight";
  EXPECT_TRUE(run_well("route net --lmc 2").find("\n0x0014 ") != std::string::npos) << "no room: one behind the other";
}

TEST_F(Messages, lists_of_slurm_are_read_back) {
  run_well("convert net --to slurm -o topology.conf");
  EXPECT_THAT(read("topology.conf"), HasSubstr("host[0-2]"));
  write("hosts", "host[0-2],host5\n");
  EXPECT_THAT(run("route net --host-order hosts -o lfts").err, HasSubstr("hosts numbered by"));
}

}  // namespace
}  // namespace espalier::test
