// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier doctor`, the help pages, and what the command says to words that it does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Doctor : public EspalierCommand {};
class Usage : public EspalierCommand {};

TEST_F(Doctor, names_engines_that_nobody_has) {
  write("conf", "event_plugin_name espalier\nrouting_engine balnced,updn # ours first\n");
  const Outcome outcome = run("doctor --opensm-conf conf");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("ok      event_plugin_name: espalier"),
            HasSubstr("PROBLEM routing_engine: balnced: neither Espalier nor OpenSM has an engine of this name"),
            HasSubstr("ok      routing_engine: updn: an engine of OpenSM")));
}

TEST_F(Doctor, says_what_opensm_conf_lacks) {
  write("conf", "# nothing\nevent_plugin_name (null)\n");
  EXPECT_THAT(run("doctor --opensm-conf conf").out,
              AllOf(HasSubstr("set event_plugin_name espalier"), HasSubstr("use routing_engine balanced,dmodc,updn")));
  EXPECT_EQ(run("doctor --opensm-conf nowhere").code, 2);
  if (std::filesystem::exists("/etc/opensm/opensm.conf")) return;  // as Debian installs OpenSM there is none
  const Outcome without = run("doctor");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, HasSubstr("opensm -c /etc/opensm/opensm.conf"));
}

TEST_F(Doctor, finds_the_plugin_in_lists_as_opensm_reads_them) {
  for (const std::string list : {"other espalier", "espalier,other", "other,\tespalier"}) {
    write("conf", "routing_engine dmodc\nevent_plugin_name " + list + "\n");
    EXPECT_THAT(run("doctor --opensm-conf conf").out, HasSubstr("ok      event_plugin_name: ")) << list;
  }
  write("conf", "routing_engine dmodc\nevent_plugin_name espalier2,other\n");
  EXPECT_THAT(run("doctor --opensm-conf conf").out, HasSubstr("PROBLEM event_plugin_name: espalier2 other: set "));
}

TEST_F(Doctor, tries_the_listed_engines_on_a_fabric) {
  write("conf", "event_plugin_name espalier\nrouting_engine dmodk,dmodc\n");
  write("net", ring_of_five());
  EXPECT_THAT(run("doctor net --opensm-conf conf").out,
              AllOf(HasSubstr("fabric: dmodk declines: "), HasSubstr("fabric: dmodc routes this fabric")));
}

TEST_F(Doctor, tells_engines_of_opensm_from_namesakes) {
  write("conf", "event_plugin_name espalier\nrouting_engine ftree,espalier-ftree,espalier-dmodc\n");
  write("net", two_level_tree());
  EXPECT_THAT(run("doctor net --opensm-conf conf").out,
              AllOf(HasSubstr("routing_engine: ftree: an engine of OpenSM; that of Espalier is espalier-ftree"),
                    HasSubstr("routing_engine: espalier-ftree: an engine of Espalier"),
                    HasSubstr("PROBLEM routing_engine: espalier-dmodc: neither"),
                    HasSubstr("fabric: espalier-ftree routes this fabric"), Not(HasSubstr("fabric: ftree"))));
}

TEST_F(Doctor, wants_qos_for_engines_with_lanes) {
  write("conf", "event_plugin_name espalier\nrouting_engine dragonfly\n");
  const Outcome without = run("doctor --opensm-conf conf");
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.out, HasSubstr("PROBLEM routing_engine: dragonfly: an engine of Espalier that needs"));
  write("conf", "event_plugin_name espalier\nqos true\nrouting_engine dragonfly\n");  // which OpenSM reads as FALSE
  EXPECT_EQ(run("doctor --opensm-conf conf").out, without.out);
  write("conf", "event_plugin_name espalier\nqos TRUE\nrouting_engine dragonfly\n");
  EXPECT_THAT(run("doctor --opensm-conf conf").out,
              HasSubstr("ok      routing_engine: dragonfly: an engine of Espalier"));
}

TEST_F(Doctor, says_what_max_op_vls_leaves_to_engines_with_lanes) {
  const auto told = [this](const std::string& lines) {
    write("conf", "event_plugin_name espalier\nqos TRUE\nrouting_engine dragonfly-rlm,layers,dmodc\n" + lines);
    return run("doctor --opensm-conf conf").out;
  };
  const std::string rlm = " routing_engine: dragonfly-rlm: an engine of Espalier";
  EXPECT_THAT(told("max_op_vls 1\n"),
              AllOf(HasSubstr("PROBLEM" + rlm +
                              " that needs 2 virtual lanes, and declines, since max_op_vls 1 leaves links 1; raise"),
                    HasSubstr("layers: an engine of Espalier; max_op_vls 1 leaves it 1 virtual lane\n"),
                    HasSubstr("dmodc: an engine of Espalier\n")));
  EXPECT_THAT(told("max_op_vls 2\n"), HasSubstr("ok     " + rlm + "; max_op_vls 2 leaves it 2 virtual lanes\n"));
  EXPECT_THAT(
      told("max_op_vls 2\nlmc 3\n"),
      HasSubstr("PROBLEM" + rlm + " that needs 3 virtual lanes, and declines, since max_op_vls 2 leaves links 2;"));
  for (const std::string enough : {"", "max_op_vls 0\n", "max_op_vls 0x4\n", "max_op_vls 5\n"})
    EXPECT_THAT(told(enough), HasSubstr("ok     " + rlm + "\n")) << enough;
}

TEST_F(Doctor, says_what_vl_arbitration_leaves_to_engines_with_lanes) {
  const auto told = [this](const std::string& lines) {
    write("conf", "event_plugin_name espalier\nqos TRUE\nrouting_engine dragonfly,layers\n" + lines);
    return run("doctor --opensm-conf conf").out;
  };
  const std::string one = "qos_vlarb_low 0:64,2:64\nqos_vlarb_high 0:0\n";
  const std::string by = "VL arbitration (qos_vlarb_low, qos_vlarb_high) leaves ";
  EXPECT_THAT(told(one),
              AllOf(HasSubstr("PROBLEM routing_engine: dragonfly: an engine of Espalier that needs 2 virtual "
                              "lanes, and declines, since " +
                              by + "links 1; give more lanes a weight in opensm.conf"),
                    HasSubstr("layers: an engine of Espalier; " + by + "it 1 virtual lane\n")));
  EXPECT_THAT(told(one + "max_op_vls 1\n"), HasSubstr("max_op_vls 1 leaves links 1")) << "which comes first";
  EXPECT_THAT(told("qos_swe_vlarb_low 0:64,1:64\nqos_vlarb_low 0:64\nqos_swe_vlarb_high 0:1\n"),
              HasSubstr("ok      routing_engine: dragonfly: an engine of Espalier; " + by + "it 2 virtual lanes\n"));
  EXPECT_THAT(told("qos_vlarb_low (null)\nqos_vlarb_high (null)\n"), HasSubstr("dragonfly: an engine of Espalier\n"));
}

TEST_F(Doctor, says_what_no_fallback_means) {
  write("conf", "event_plugin_name espalier\nrouting_engine dmodc,no_fallback\n");
  EXPECT_THAT(run("doctor --opensm-conf conf").out,
              HasSubstr("ok      routing_engine: no_fallback: where all of these decline, OpenSM routes nothing"));
}

TEST_F(Doctor, tries_engines_on_the_lanes_that_opensm_conf_leaves) {
  run_well("generate dragonfly 2,4,2,9 -o net");
  write("conf", "event_plugin_name espalier\nqos TRUE\nmax_op_vls 1\nrouting_engine dragonfly,layers\n");
  EXPECT_THAT(run("doctor net --opensm-conf conf").out,
              AllOf(HasSubstr("PROBLEM fabric: dragonfly declines: dragonfly needs 2 virtual lanes, but links have 1"),
                    HasSubstr("ok      fabric: layers routes this fabric")));
}

TEST_F(Doctor, reads_the_lists_that_opensm_conf_names) {
  write("conf", "event_plugin_name espalier\nrouting_engine dmodc\nroot_guid_file " + path("roots") +
                    "\ncn_guid_file (null)\nio_guid_file " + path("io") + "\n");
  write("roots", "# spines\n0x2c90000000004\nspine2\n0x2c90000000005 # the other\n0xzz\n");
  const Outcome outcome = run("doctor --opensm-conf conf");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("ok      root_guid_file: " + path("roots") + ": 2 GUIDs\n"),
            HasSubstr("PROBLEM root_guid_file: " + path("roots") + ":3: \"spine2\" is not a GUID; write 0x and"),
            HasSubstr("PROBLEM root_guid_file: " + path("roots") + ":5: \"0xzz\" is not a GUID; write 0x and"),
            HasSubstr("PROBLEM io_guid_file: " + path("io") + ": cannot "), Not(HasSubstr("cn_guid_file"))));
}

TEST_F(Doctor, says_which_guids_of_the_lists_are_not_in_the_fabric_or_of_the_wrong_kind) {
  write("conf",
        "event_plugin_name espalier\nrouting_engine dmodc\nroot_guid_file roots\ncn_guid_file hosts\n"
        "io_guid_file io\nids_guid_file ids\n");
  write("net", two_level_tree());
  write("roots", "0x2c90000000004\n0x2c90000000077\n");
  write("hosts", "0x2c90100000001\n0x2c90100000010\n0x2c90000000001\n0xdead\n");
  write("io", "0x77\n0x78\n");
  write("ids", "0x2c90000000001 1\n0x2c90100000001 2\n");
  const std::string out = run("doctor net --opensm-conf conf").out;
  EXPECT_THAT(out,
              AllOf(HasSubstr("ok      root_guid_file: roots: 2 GUIDs, 1 of them in this fabric\n"),
                    HasSubstr("PROBLEM root_guid_file: roots:2: 0x0002c90000000077 is not in this fabric\n"),
                    HasSubstr("ok      cn_guid_file: hosts: 4 GUIDs, 3 of them in this fabric\n"),
                    HasSubstr("PROBLEM cn_guid_file: hosts:2: 0x0002c90100000010 is the node GUID of h1; write its "
                              "port GUID 0x0002c90100000011\n"),
                    HasSubstr("PROBLEM cn_guid_file: hosts:3: 0x0002c90000000001 is switch L0; write port GUIDs"),
                    HasSubstr("ok      cn_guid_file: hosts:4: 0x000000000000dead is not in this fabric\n")));
  EXPECT_THAT(out, AllOf(HasSubstr("PROBLEM io_guid_file: io: 2 GUIDs, none in this fabric"),
                         HasSubstr("PROBLEM ids_guid_file: ids:2: 0x0002c90100000001 is the port GUID of h0; write "
                                   "GUIDs of switches\n")));
}

// As the plugin does: with a leaf as the root, other tables result, or none.
TEST_F(Doctor, ranks_the_fabric_by_the_listed_roots) {
  const auto told = [this](const std::string& roots) {
    write("conf", "event_plugin_name espalier\nrouting_engine dmodc\nroot_guid_file roots\n");
    write("net", two_level_tree());
    write("roots", roots);
    return run("doctor net --opensm-conf conf").out;
  };
  EXPECT_THAT(told("0x2c90000000004\n0x2c90000000005\n"),
              AllOf(HasSubstr("2 GUIDs, all in this fabric\n"), HasSubstr("dmodc routes this fabric")));
  EXPECT_THAT(told("0x2c90000000004\n"),
              HasSubstr("PROBLEM root_guid_file: with this list the fabric has 3 levels, without "
                        "it 2: does it name all root switches?\n"));
  EXPECT_THAT(told("0xdead\n"), HasSubstr("PROBLEM fabric: dmodc declines: none of the 1 GUID in the root list"));
  EXPECT_THAT(told("spine\n"), HasSubstr("PROBLEM fabric: dmodc declines: roots:1: \"spine\" is not a GUID"));
}

TEST_F(Doctor, shortens_long_lists_of_wrong_lines) {
  std::string hosts = "0x2c90100000001\n";
  for (int i = 0; i < 30; ++i) hosts += "0xdead" + std::to_string(i) + "\n";
  write("conf", "event_plugin_name espalier\nrouting_engine dmodc\ncn_guid_file hosts\n");
  write("net", two_level_tree());
  write("hosts", hosts);
  EXPECT_THAT(run("doctor net --opensm-conf conf").out,
              AllOf(HasSubstr("hosts:11: "), Not(HasSubstr("hosts:12: ")),
                    HasSubstr("ok      cn_guid_file: hosts: 20 lines more like these\n")));
}

TEST_F(Usage, suggests_what_may_have_been_meant) {
  EXPECT_EQ(run("rout x").err, "espalier: unknown subcommand rout (did you mean route?); see espalier --help\n");
  EXPECT_THAT(run("route net --engin dmodc").err, HasSubstr("route has no option --engin (did you mean --engine?)"));
  EXPECT_THAT(run("route net --engin dmodc").err, HasSubstr("see espalier route --help"));
  EXPECT_EQ(run("rout x").code, 2);
  EXPECT_THAT(run("generate dragonfly").err, HasSubstr("see espalier generate dragonfly --help"));
  EXPECT_THAT(
      run("generate dragonfly 2,4,2,9 --sed 3").err,
      HasSubstr("generate dragonfly has no option --sed (did you mean --seed?); see espalier generate dragonfly"));
  EXPECT_THAT(run("route net -e balancd").err, HasSubstr("} (did you mean balanced?)"));
  EXPECT_THAT(run("compare net --engines minhop").err, HasSubstr("}; give OpenSM's own engines with --stock"));
  EXPECT_EQ(run("route net -e").err, "espalier: --engine requires ENGINE; see espalier route --help\n");
}

TEST_F(Usage, help_is_a_subcommand_as_well) {
  EXPECT_EQ(run_well("help route"), run_well("route --help"));
  EXPECT_EQ(run_well("help"), run_well("--help"));
}

TEST_F(Usage, help_pages_are_plain_text) {
  const std::string pages = run_well("--help-all");
  for (const char c : pages) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

}  // namespace
}  // namespace espalier::test
