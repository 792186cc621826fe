// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier verify` and `espalier diff`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lft/lft_dump.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Everything goes clockwise round the ring: it arrives, and it is the textbook's credit loop.
ForwardingTables clockwise(const Fabric& ring) {
  ForwardingTables tables(ring.num_switches(), ring.top_lid());
  for (const SwitchId s : ring.switches()) {
    const SwitchId next = switch_named(ring, "R" + std::string(1, static_cast<char>('0' + (index(s) + 1) % 5)));
    PortNum onward = kNoPort;
    for (const PortNum p : ring.ports(s))
      if (ring.peer(s, p).is_switch() && ring.peer(s, p).as_switch() == next) onward = p;
    for (std::size_t lid = 1; lid <= index(ring.top_lid()); ++lid) tables.set(s, id_at<Lid>(lid), onward);
    tables.set(s, ring.at(s).lid, kManagementPort);
    tables.set(s, ring.at(endport_named(ring, "h" + ring.at(s).description.substr(1))).lid, PortNum{1});
  }
  return tables;
}

class Verify : public EspalierCommand {};
class Diff : public EspalierCommand {
 protected:
  // Routes the two-level tree to `name`, with one line changed.
  void write_tables(const std::string& name, const std::string& from = "", const std::string& to = "") const {
    write("net", two_level_tree());
    std::string tables = run_well("route net --engine dmodc");
    if (!from.empty()) tables.replace(tables.find(from), from.size(), to);
    write(name, tables);
  }
};

TEST_F(Verify, accepts_sound_tables_with_exit_code_0) {
  write("net", three_level_tree());
  run_well("route net --engine dmodc -o lfts");
  EXPECT_THAT(run_well("verify net lfts --threads 3"),
              StartsWith("sound: 240 entries of 12 switches deliver"));  // 12 switches x (12 + 8) LIDs
}

TEST_F(Verify, compares_with_what_is_expected) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc -o lfts");
  run_well("verify net lfts --expect lfts");
  run_well("route net --engine randsp --seed 1004 -o other");
  const Outcome outcome = run("verify net other --expect lfts");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("not as in lfts, for example LID "), HasSubstr("sound: ")));
}

TEST_F(Verify, finds_the_lmc_of_what_is_expected) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc --lmc 1 -o doubled");
  run_well("route net --engine dmodc -o single");
  run_well("verify net doubled --expect doubled");
  run_well("verify net --engine dmodc --expect doubled");
  EXPECT_THAT(refusal_of("verify net single --expect doubled"),
              HasSubstr("doubled: made with another LMC than single; give tables of one LMC"));
  write("other", three_level_tree());
  run_well("route other --engine dmodc -o foreign");
  EXPECT_THAT(refusal_of("verify net doubled --expect foreign"), AllOf(HasSubstr("foreign:"), Not(HasSubstr("LMC"))));
  EXPECT_THAT(refusal_of("verify net foreign --expect doubled"), HasSubstr("foreign:"));
}

TEST_F(Verify, takes_files_or_the_live_subnet_but_not_both) {
  EXPECT_THAT(run("verify").err, HasSubstr("NET or --live is required"));
  EXPECT_THAT(run("verify net").err, HasSubstr("LFTS or --engine is required"));
  EXPECT_THAT(run("verify net lfts --live").err,
              HasSubstr("net: only one fabric is possible; omit the files or --live"));
  EXPECT_THAT(run("verify net lfts --ca mlx5_0").err, HasSubstr("--ca requires --live"));
  EXPECT_EQ(run("verify net lfts --live").code, 2);
}

TEST_F(Verify, counts_the_packets_of_end_ports_alone_when_asked_to) {
  write("net", two_level_tree());
  std::string tables = run_well("route net --engine dmodc");
  const std::size_t at = tables.find("0x0001 0");  // the entry of some switch for a switch's LID
  tables.erase(at, tables.find('\n', at) + 1 - at);
  write("lfts", tables);
  EXPECT_EQ(run("verify net lfts").code, 1);
  EXPECT_THAT(run_well("verify net lfts --traffic end-ports"), StartsWith("sound: "));
  EXPECT_THAT(run_well("verify net lfts --traffic hosts"), StartsWith("sound: "));
  EXPECT_EQ(run("verify net lfts --traffic some").code, 2);
}

TEST_F(Verify, prints_a_credit_loop_channel_by_channel_with_exit_code_1) {
  const Fabric ring = ring_of_five();
  write("net", ring);
  write("lfts", write_lfts(ring, clockwise(ring)));
  const Outcome outcome = run("verify net lfts");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, StartsWith("credit loop: "));
  for (const char* name : {"(R0)", "(R1)", "(R2)", "(R3)", "(R4)"}) EXPECT_THAT(outcome.out, HasSubstr(name));
}

TEST_F(Verify, prints_the_first_missing_entry) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc -o lfts && grep -v '^0x0007' lfts >holes");
  const Outcome outcome = run("verify net holes");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("missing entry: "), HasSubstr("(L0)"), HasSubstr("(h1)"), HasSubstr("5 violations")));
}

TEST_F(Verify, refuses_tables_of_another_fabric_with_exit_code_2) {
  write("net", two_level_tree());
  write("other", three_level_tree());
  run_well("route other --engine dmodc -o lfts");
  EXPECT_EQ(run("verify net lfts").code, 2);
}

TEST_F(Diff, of_equal_tables_has_exit_code_0) {
  write_tables("a");
  EXPECT_EQ(run_well("diff a a"), "differences: 0 entries in 0 blocks of 0 of 5 switches\n");
}

TEST_F(Diff, counts_entries_and_blocks_by_switch_with_exit_code_1) {
  write_tables("a");
  write_tables("b", "0x0006 001", "0x0006 002");
  const Outcome outcome = run("diff a b");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "0x0002c90000000001 (L0): 1 entry in 1 block: 0\n"
            "differences: 1 entry in 1 block of 1 of 5 switches\n");
}

TEST_F(Verify, says_that_there_is_nothing_to_prove_without_switches) {
  write("net", "Ca 1 \"a\"\n[1] \"b\"[1]\n\nCa 1 \"b\"\n[1] \"a\"[1]\n");
  write("none", "");  // route refuses such a fabric
  const Outcome outcome = run("verify net none");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is nothing to prove"));
}

TEST_F(Diff, takes_a_missing_switch_for_one_without_routes) {
  write("all", two_level_tree());
  write("less", without_switch(two_level_tree(), SwitchId{4}));
  run_well("route all --engine dmodc -o a");
  run_well("route less --engine dmodc -o b");
  const Outcome outcome = run("diff a b");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("(S1): 11 entries in 1 block: 0"),
                                 HasSubstr("switches only in the first: 1, only in the second: 0")));
}

TEST_F(Diff, refuses_an_unfinished_dump_with_exit_code_2) {
  write_tables("a");
  write_tables("b", "11 lids dumped", "");
  const Outcome outcome = run("diff a b");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, StartsWith("espalier: b:"));
}

}  // namespace
}  // namespace espalier::test
