// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Inputs that people have at hand: iblinkinfo, chassis by their .ibnl files, lists of old versions, odd LIDs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/io/fabric_reader.h"
#include "core/io/file.h"
#include "core/io/subnet/ibnl.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Fabric fabric_of(std::string_view text) {
  Result<ParsedNet> net = read_fabric(text, "F");
  EXPECT_TRUE(net) << net.error().text();
  EXPECT_TRUE(net->builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete));
  return std::move(net->builder).build().value();
}

std::string error_of(std::string_view text) {
  const Result<ParsedNet> net = read_fabric(text, "F");
  return net ? "read" : net.error().text();
}

// Two hosts on a leaf below a spine; the leaf's port 4 is free.
constexpr const char* kLinkInfo =
    "CA: node1 HCA-1:\n"
    "      0x0002c90100000001      3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       1    1[  ] \"leaf: "
    "1\" "
    "(Could be 12X)\n"
    "Switch: 0x0002c90001000000 leaf: 1:\n"
    "           1    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       3    1[  ] \"node1 HCA-1\" ( )\n"
    "           1    2[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       4    2[  ] \"node2 HCA-1\" ( )\n"
    "           1    3[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       2    1[  ] \"spine\" ( )\n"
    "           1    4[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
    "Switch: 0x0002c90002000000 spine:\n"
    "           2    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       1    3[  ] \"leaf: 1\" ( )\n"
    "CA: node2 HCA-1:\n"
    "      0x0002c90100000012      4    2[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       1    2[  ] \"leaf: "
    "1\" ( )\n";

TEST(LinkInfo, LinksRatesAndLidsAreRead) {
  EXPECT_EQ(fabric_format(kLinkInfo), FabricFormat::kLinkInfo);
  const Fabric fabric = fabric_of(kLinkInfo);
  ASSERT_EQ(fabric.num_switches(), 2U);
  ASSERT_EQ(fabric.num_endports(), 2U);
  const SwitchId leaf = fabric.find_switch(Guid{0x0002c90001000000});
  ASSERT_NE(leaf, kNoSwitch);
  EXPECT_EQ(fabric.at(leaf).description, "leaf: 1");
  EXPECT_EQ(fabric.at(leaf).num_ports, 4);
  EXPECT_EQ(fabric.at(leaf).lid, Lid{1});
  EXPECT_EQ(fabric.rate(leaf, PortNum{3}).text(), "4xHDR");
  const EndportId node2 = fabric.find_endport(Guid{0x0002c90100000012});
  ASSERT_NE(node2, kNoEndport);
  EXPECT_EQ(fabric.at(node2).node_guid, Guid{0x0002c90100000010});
  EXPECT_EQ(fabric.at(node2).leaf_port, PortNum{2});
}

TEST(LinkInfo, WithGuidsInEachLineNoNamesOfBlocksAreNeeded) {
  const Fabric fabric = fabric_of(
      "0x0002c90100000031 \"      host 3\"      8    1[  ] ==( 4X      25.78125 Gbps Initialize/  LinkUp)==>  "
      "0x0002c90001000001      2    2[  ] \"leaf 1\" ( )\n"
      "0x0002c90001000001 \"      leaf 1\"      2    2[  ] ==( 4X      25.78125 Gbps Initialize/  LinkUp)==>  "
      "0x0002c90100000031      8    1[  ] \"host 3\" ( )\n"
      "0x0002c90001000001 \"      leaf 1\"      2    3[  ] ==( 4X      25.78125 Gbps Initialize/  LinkUp)==>  "
      "0x0002c90002000000      3    2[  ] \"spine\" ( )\n"
      "0x0002c90002000000 \"      spine\"      3    1[  ] ==(                Down/ Polling)==>             [  ] \"\" ( "
      ")\n"
      "0x0002c90002000000 \"      spine\"      3    2[  ] ==( 4X      25.78125 Gbps Initialize/  LinkUp)==>  "
      "0x0002c90001000001      2    3[  ] \"leaf 1\" ( )\n");
  EXPECT_EQ(fabric.num_switches(), 2U);
  EXPECT_EQ(fabric.num_endports(), 1U);
  EXPECT_EQ(fabric.num_switch_links(), 1U);
}

TEST(LinkInfo, WhoHasALidThatNobodyTellsOfIsAskedFor) {
  EXPECT_THAT(error_of("Switch: 0x10 a:\n  1  1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==>  9  1[  ] \"b\" ( )\n"),
              HasSubstr("F:2: nobody has the LID or GUID of the other end; run iblinkinfo -l"));
  EXPECT_THAT(error_of("Switch: 0x10 a:\n  1  x[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==>  9  1[  ] \"b\" ( )\n"),
              HasSubstr("F:2: expected a LID and a port number"));
}

TEST(OtherInputs, WhatHasNoLinksSaysWhatToGiveInstead) {
  EXPECT_THAT(error_of("Switch\t : 0x0002c90001000001 ports 4 devid 0x0 vendid 0x0 \"leaf 1\"\n"),
              HasSubstr("this is a list of nodes (ibnetdiscover -l), without cables; give the output"));
  EXPECT_THAT(error_of(std::string("\x2b\x83\xe7\x8f\x01\0\0\0", 8)), HasSubstr("ibnetdiscover --load-cache F"));
}

// tartu's and others' fabrics have one port that reads 65335.
TEST(OtherInputs, AnOddLidIsNoLidAndNoReasonToRefuseAFile) {
  const auto net = read_fabric(
      "Switch 4 \"S-10\" # \"leaf\" base port 0 lid 1 lmc 0\n[1] \"H-20\"[1](21) # \"node\" lid 65335 4xQDR\n\n"
      "Ca 1 \"H-20\" # \"node\"\n[1](21) \"S-10\"[1] # lid 65335 lmc 0 \"leaf\" lid 1 4xQDR\n",
      "F");
  ASSERT_TRUE(net) << net.error().text();
  ASSERT_THAT(net->warnings, SizeIs(1));
  EXPECT_THAT(net->warnings[0].text(), HasSubstr("has 65335 for a LID, which is none (1 to 49151)"));
  EXPECT_THAT(read_fabric("SW 65335 1 0x20 4x QDR 'a'\n", "F").value().warnings, SizeIs(1));
}

// As ibutils of 2005 wrote it: no speeds, and every node is a CA.
TEST(OtherInputs, SubnetListsOfOldVersionsAreRead) {
  const auto end = [](const char* kind, const char* ports, const char* guid, const char* lid, const char* port) {
    return fmt::format(
        "{{ {} Ports:{} SystemGUID:{} NodeGUID:{} PortGUID:{} VenID:000002C9 DevID:5A440000 Rev:000000A1 {{n}} LID:{} "
        "PN:{} }}",
        kind, ports, guid, guid, guid, lid, port);
  };
  const Fabric fabric = fabric_of(end("CA", "02", "0002c90000000002", "0001", "01") + " " +
                                  end("CA", "18", "0002c90000000602", "0401", "01") + " PHY=4x LOG=ACT\n" +
                                  end("CA", "18", "0002c90000000602", "0401", "01") + " " +
                                  end("CA", "02", "0002c90000000002", "0001", "01") + " PHY=4x LOG=ACT\n");
  EXPECT_EQ(fabric.num_switches(), 1U);
  EXPECT_EQ(fabric.num_endports(), 1U);
}

constexpr const char* kDirector =
    "# two leaves of two ports below a spine\n"
    "SYSTEM LEAF,LEAF:4x\n"
    "NODE SW 4 MT1 U1\n  1 -> P1\n  2 -> P2\n  3 -10G-> P3\n"
    "SYSTEM PAIR\nNODE SW 4 MT1 U1\n  1 -> P1\n  4 -> U2 4\nNODE SW 4 MT1 U2\n  4 -> U1 4\n"
    "SYSTEM LEAF:12x\n"
    "NODE SW 4 MT1 U1\n  1 -12x-> P1\n  3 -10G-> P3\n"
    "SYSTEM SPINE\n"
    "NODE SW 4 MT1 U1\n  1 -10G-> P1\n  2 -10G-> P2\n"
    "TOPSYSTEM Director,Alias\n"
    "SUBSYSTEM LEAF leaf1\n  P1 -> L1/P1\n  P2 -> L1/P2\n  P3 -> spine1 P1\n"
    "SUBSYSTEM LEAF leaf2\n  P1 -> L2/P1\n  P2 -> L2/P2\n  P3 -> spine1 P2\n"
    "SUBSYSTEM SPINE spine1\n  P1 -> leaf1 P3\n  P2 -> leaf2 P3\n"
    "SUBSYSTEM PAIR pair\n  P1 -> M/P1\n";

class Ibnl : public testing::Test {
 protected:
  Ibnl() {
    std::string name = (std::filesystem::temp_directory_path() / "espalier-ibnl-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    EXPECT_TRUE(write_file((folder_ / "Director.ibnl").string(), kDirector));
    ::setenv("IBDM_IBNL_PATH", folder_.c_str(), 1);
  }
  ~Ibnl() override {
    ::unsetenv("IBDM_IBNL_PATH");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path folder_;
};

TEST_F(Ibnl, AChassisIsWiredAsItsDefinitionSays) {
  const Fabric fabric =
      fabric_of("Director D1\n  L1/P1 -4x-10G-> CA a P1\n  L2/P2 -> CA b P1\n  L2/P1 -> Alias D2 L1/P1\n");
  EXPECT_EQ(fabric.num_switches(), 2 * 5U);
  EXPECT_EQ(fabric.num_endports(), 2U);
  EXPECT_EQ(fabric.num_switch_links(), 2 * 3U + 1U) << "that of the pair, told at both ends, is one";
  std::vector<std::string> names;
  for (const SwitchId s : fabric.switches()) names.push_back(fabric.at(s).description);
  EXPECT_THAT(names, testing::IsSupersetOf({"D1/leaf1/U1", "D1/spine1/U1", "D2/leaf2/U1"}));
}

TEST_F(Ibnl, BoardsAreTakenOutOrChosenByTheirVariant) {
  const Fabric fabric = fabric_of("Director D1 CFG: leaf2=R, leaf1=12x\n  L1/P1 -> CA a P1\n");
  EXPECT_EQ(fabric.num_switches(), 4U) << "a leaf, the spine, a pair";
  EXPECT_EQ(fabric.num_switch_links(), 2U);
  EXPECT_THAT(error_of("Director D1 CFG: leaf1=24x\n  L1/P1 -> CA a P1\n"),
              HasSubstr("F:1: the definition of Director has no board LEAF:24x"));
}

TEST_F(Ibnl, BoardsOnBoardsHaveAnEnd) {
  std::string all = "SYSTEM B8\nNODE SW 4 MT1 U1\n  1 -> P1\n";
  for (int board = 7; board >= 0; --board) {
    all += fmt::format("{} B{}\n", board == 0 ? "TOPSYSTEM" : "SYSTEM", board);
    for (int i = 0; i < 16; ++i) all += fmt::format("SUBSYSTEM B{} b{}\n", board + 1, i);
  }
  EXPECT_TRUE(write_file((folder_ / "Billions.ibnl").string(), all));
  EXPECT_THAT(error_of("B0 D1\n  L1/P1 -> CA a P1\n"), HasSubstr("F:1: the systems have more than 65536 boards"));
}

TEST_F(Ibnl, WhoIsUnknownIsLookedForWhereItIsSaid) {
  EXPECT_THAT(error_of("Palace D1\n  L1/P1 -> CA a P1\n"),
              HasSubstr("F:1: system type \"Palace\" is in none of 1 .ibnl files; set IBDM_IBNL_PATH"));
  EXPECT_THAT(error_of("Director D1\n  L7/P1 -> CA a P1\n"),
              HasSubstr("F:2: \"D1 L7/P1\" is not a plug of its chassis"));
  EXPECT_THAT(io::read_ibnl("NODE SW 4 MT1 U1\n", "D").error().text(),
              HasSubstr("D:1: something before the first SYSTEM"));
  EXPECT_THAT(io::read_ibnl("SYSTEM A\nwhat\n", "D").error().text(), HasSubstr("D:2: neither a SYSTEM"));
}

}  // namespace
}  // namespace espalier
