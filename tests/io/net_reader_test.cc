// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/drawing.h"

namespace espalier {
namespace {

using test::endport_named;
using test::switch_named;
using testing::ElementsAre;
using testing::IsEmpty;

struct Read {
  Fabric fabric;
  std::vector<std::string> warnings;
};

Read read(std::string_view text, PortGuids port_guids = PortGuids::kNodePlusPort) {
  Result<ParsedNet> net = read_net(text, "net", port_guids);
  if (!net) throw std::runtime_error(net.error().text());
  std::vector<std::string> warnings;
  for (const Error& warning : net->warnings) warnings.push_back(warning.text());
  Result<Fabric> fabric = std::move(net->builder).build();
  if (!fabric) throw std::runtime_error(fabric.error().text());
  return {std::move(*fabric), std::move(warnings)};
}

// A leaf with a dual-port CA and a switch next to it, as ibnetdiscover prints them.
constexpr const char* kPlain =
    "#\n# Topology file: generated on Sat Nov 21 2026\n#\n"
    "\n"
    "vendid=0x2c9\n"
    "sysimgguid=0x2c90000001003\n"
    "switchguid=0x2c90000001000(2c90000001000)\n"
    "Switch\t36 \"S-0002c90000001000\"\t\t# \"leaf # 1\" enhanced port 0 lid 142 lmc 0\n"
    "[1]\t\"H-0002c90000004000\"[1](2c90000004aaa) \t\t# \"node1 HCA-1\" lid 8 4xQDR\n"
    "[2]\t\"H-0002c90000004000\"[2](2c90000004bbb) \t\t# \"node1 HCA-1\" lid 12 4xQDR\n"
    "[36]\t\"S-0002c90000002000\"[35]\t\t# \"spine 1\" lid 53 12xFDR10\n"
    "\n"
    "switchguid=0x2c90000002000(2c90000002000)\n"
    "Switch\t36 \"S-0002c90000002000\"\t\t# \"spine 1\" base port 0 lid 53 lmc 0\n"
    "[35]\t\"S-0002c90000001000\"[36]\t\t# \"leaf # 1\" lid 142 12xFDR10\n"
    "\n"
    "caguid=0x2c90000004000\n"
    "Ca\t2 \"H-0002c90000004000\"\t\t# \"node1 HCA-1\"\n"
    "[1](2c90000004aaa) \t\"S-0002c90000001000\"[1]\t\t# lid 8 lmc 2 \"leaf # 1\" lid 142 4xQDR\n"
    "[2](2c90000004bbb) \t\"S-0002c90000001000\"[2]\t\t# lid 12 lmc 2 \"leaf # 1\" lid 142 4xQDR\n";

TEST(NetReader, IbnetdiscoverTextBecomesTheFabricThatItDescribes) {
  const Read net = read(kPlain);
  EXPECT_THAT(net.warnings, IsEmpty());
  ASSERT_EQ(net.fabric.num_switches(), 2U);
  ASSERT_EQ(net.fabric.num_endports(), 2U);
  const SwitchId leaf = switch_named(net.fabric, "leaf # 1");
  EXPECT_EQ(net.fabric.at(leaf).guid, Guid{0x2c90000001000});
  EXPECT_EQ(net.fabric.at(leaf).lid, Lid{142});
  EXPECT_EQ(net.fabric.at(leaf).port0, Port0Kind::kEnhanced);
  EXPECT_EQ(net.fabric.at(leaf).num_ports, 36);
  const SwitchId spine = switch_named(net.fabric, "spine 1");
  EXPECT_EQ(net.fabric.at(spine).port0, Port0Kind::kBase);
  EXPECT_EQ(net.fabric.peer(leaf, PortNum{36}).as_switch(), spine);
  EXPECT_EQ(net.fabric.peer(leaf, PortNum{36}).port, PortNum{35});
  EXPECT_EQ(net.fabric.rate(spine, PortNum{35}), (LinkRate{12, LinkSpeed::kFdr10}));
  EXPECT_EQ(net.fabric.at(EndportId{0}).lid, Lid{8});
  EXPECT_EQ(net.fabric.at(EndportId{1}).lid, Lid{12});
  EXPECT_EQ(net.fabric.at(EndportId{1}).lmc, 2);
  EXPECT_EQ(net.fabric.at(EndportId{1}).leaf, leaf);
  EXPECT_EQ(net.fabric.at(EndportId{1}).leaf_port, PortNum{2});
  EXPECT_EQ(net.fabric.at(EndportId{1}).description, "node1 HCA-1");
}

TEST(NetReader, PortGuidsAreIbsimsUnlessTheWrittenOnesAreWanted) {
  EXPECT_EQ(read(kPlain).fabric.at(EndportId{1}).port_guid, Guid{0x2c90000004002});
  EXPECT_EQ(read(kPlain, PortGuids::kAsWritten).fabric.at(EndportId{1}).port_guid, Guid{0x2c90000004bbb});
}

TEST(NetReader, LineEndsTrailingBlanksAndAByteOrderMarkDoNotMatter) {
  std::string text = "\xEF\xBB\xBF";
  for (const char* c = kPlain; *c != '\0'; ++c) text += *c == '\n' ? " \t\r\n" : std::string(1, *c);
  text.erase(text.find_last_not_of(" \t\r\n") + 1);  // no end of the last line
  EXPECT_TRUE(test::identical(read(text).fabric, read(kPlain).fabric));
}

TEST(NetReader, TheGroupedDialectHasTextBetweenBlocksAndExternalPorts) {
  const Read net = read(
      "[root@sm ~]# ibnetdiscover -g\n"
      "Chassis 1 (guid 0x8f10400411f56)\n"
      "\n"
      "Spine 1 Chip 2\n"
      "switchguid=0x8f10400411f57(8f10400411f57)\n"
      "Switch\t24 \"S-0008f10400411f57\"\t\t# \"ISR9288\" base port 0 lid 6 lmc 0\n"
      "[1][ext 3]\t\"H-0008f10403960000\"[1](8f10403960001)[ext 7] \t\t# \"host\" lid 7 4xSDR\n"
      "Non-Chassis Nodes\n"
      "caguid=0x8f10403960000\n"
      "Hca\t2 \"H-0008f10403960000\"\t\t# \"host\"\n"
      "[1](8f10403960001) \t\"S-0008f10400411f57\"[1]\t\t# lid 7 lmc 0 \"ISR9288\" lid 6 4xSDR\n");
  EXPECT_THAT(net.warnings, IsEmpty());
  EXPECT_EQ(net.fabric.peer(SwitchId{0}, PortNum{1}).as_endport(), EndportId{0});
}

TEST(NetReader, Ibdiagnet2RepeatsThePortNumberInParentheses) {
  const Read net = read(
      "switchguid=0x9999(8888)\n"
      "Switch 65 \"S-00000000000000aa\"\n"
      "[65](65) \"H-00000000000000b0\"[1](1) # \"AN\" lid 5 4xNDR\n"
      "\n"
      "Ca 1 \"H-00000000000000b0\"\n"
      "[1](1) \"S-00000000000000aa\"[65]\n",
      PortGuids::kAsWritten);
  EXPECT_EQ(net.fabric.at(SwitchId{0}).guid, Guid{0xaa}) << "the quoted id is trusted, not switchguid=";
  EXPECT_EQ(net.fabric.at(EndportId{0}).port_guid, Guid{0xb1});
  EXPECT_EQ(net.fabric.rate(SwitchId{0}, PortNum{65}), (LinkRate{4, LinkSpeed::kNdr}));
}

// Written by hand for ibsim.
constexpr const char* kByHand =
    "Switch 8 \"Switch1\"\n"
    "[1] \"Hca1\"[2]  w=4 s=2\n"
    "[2] Hca2\n"
    "\n"
    "Hca 2 \"Hca1\" # \"compute\"\n"
    "[2] \"Switch1\" [1]\n"
    "# a remark does not end the block\n"
    "\n"
    "Ca 1 \"Hca2\"\n"
    "[1] \"Switch1\"[2]\n";

TEST(NetReader, IbsimsOptionsUnquotedPeersAndMissingPeerPortsAreRead) {
  const Read net = read(kByHand);
  EXPECT_THAT(net.warnings, IsEmpty());
  EXPECT_EQ(net.fabric.at(endport_named(net.fabric, "compute")).port, PortNum{2});
  EXPECT_EQ(net.fabric.at(endport_named(net.fabric, "Hca2")).leaf_port, PortNum{2});
  EXPECT_EQ(net.fabric.at(SwitchId{0}).description, "Switch1") << "no description: called by its id";
  EXPECT_EQ(net.fabric.num_endports(), 2U) << "port 1 of Hca1 has no cable";
}

TEST(NetReader, NamesGetGuidsThatDependOnTheNameAlone) {
  const Fabric fabric = read(kByHand).fabric;
  const Fabric other = read("Switch 4 \"B\"\n[1] \"Switch1\"[1]\n\nSwitch 4 \"Switch1\"\n[1] \"B\"[1]\n").fabric;
  const Guid guid = fabric.at(SwitchId{0}).guid;
  EXPECT_EQ(other.at(switch_named(other, "Switch1")).guid, guid);
  EXPECT_EQ(index(guid) >> 56, 0x02U) << "a GUID that no vendor is given";
  EXPECT_EQ(index(guid) & 0xFF, 0U) << "room for the port numbers";
}

TEST(NetReader, AGivenGuidServesAnIdThatSpellsNone) {
  const Read net = read(
      "switchguid=0x9999(8888)\nSwitch 4 \"S-XXXX1\"\n[1] \"H-XXXX2\"[1]\n\n"
      "caguid=0x7700\nCa 1 \"H-XXXX2\"\n[1] \"S-XXXX1\"[1]\n");
  EXPECT_EQ(net.fabric.at(SwitchId{0}).guid, Guid{0x8888});
  EXPECT_EQ(net.fabric.at(EndportId{0}).port_guid, Guid{0x7701});
}

TEST(NetReader, ARedactedFileHasAGuidForEachNode) {
  const Read net = read(
      "switchguid=0xXXXX(XXXX)\nSwitch 4 \"S-XXXX1\"\n[1] \"S-XXXX2\"[1](XXXX)\n\n"
      "switchguid=0xXXXX(XXXX)\nSwitch 4 \"S-XXXX2\"\n[1] \"S-XXXX1\"[1]\n");
  EXPECT_EQ(net.fabric.num_switches(), 2U);
}

TEST(NetReader, ACableThatOneEndKnowsIsTakenWithAWarning) {
  const Read net = read(
      "Switch 4 \"A\"\n[1] \"B\"[2] # \"B\" lid 2 4xEDR\n\n"
      "Switch 4 \"B\"\n[2]\n");
  EXPECT_THAT(net.warnings,
              ElementsAre("net:2: only \"A\"[1] lists its cable to \"B\"[2]; the latter's block at line 4 does not"));
  EXPECT_EQ(net.fabric.num_switch_links(), 1U);
  EXPECT_EQ(net.fabric.at(switch_named(net.fabric, "B")).lid, Lid{2});
}

TEST(NetReader, APeerWithoutABlockIsMadeUpFromWhatIsSaidAboutIt) {
  const Read net = read(
      "Switch 4 \"A\"\n"
      "[1] \"H-0000000000007700\"[2](7702) # \"host\" lid 9 4xEDR\n"
      "[2] \"S-0000000000008800\"[7] # \"spine\" lid 5 4xEDR\n"
      "[3] \"node01\"\n");
  EXPECT_THAT(net.warnings, ElementsAre("net:2: \"H-0000000000007700\" has no block; assuming it is a CA or router",
                                        "net:3: \"S-0000000000008800\" has no block; assuming it is a switch",
                                        "net:4: \"node01\" has no block; assuming it is a CA or router"));
  EXPECT_EQ(net.fabric.at(endport_named(net.fabric, "host")).lid, Lid{9});
  EXPECT_EQ(net.fabric.at(endport_named(net.fabric, "host")).port, PortNum{2});
  EXPECT_EQ(net.fabric.at(switch_named(net.fabric, "spine")).num_ports, 7);
  EXPECT_EQ(net.fabric.at(switch_named(net.fabric, "spine")).lid, Lid{5});
}

TEST(NetReader, LidsThatDifferBetweenTheEndsAreWarnedOfAndTheOwnersWordCounts) {
  const Read net = read(
      "Switch 4 \"A\" # \"A\" base port 0 lid 1 lmc 0\n[1] \"h\"[1] # \"h\" lid 7 4xEDR\n\n"
      "Ca 1 \"h\"\n[1] \"A\"[1] # lid 8 lmc 0 \"A\" lid 2 4xEDR\n");
  EXPECT_THAT(net.warnings, ElementsAre("net:2: \"h\"[1] has LID 7 here, but 8 elsewhere; using 8",
                                        "net:5: \"A\"[1] has LID 2 here, but 1 elsewhere; using 1"));
  EXPECT_EQ(net.fabric.at(EndportId{0}).lid, Lid{8});
}

TEST(NetReader, LidZeroAndThePermissiveLidMeanNone) {
  const Read net = read("Switch 4 \"A\" # \"A\" base port 0 lid 0 lmc 0\n[1] \"h\" # \"h\" lid 65535 4xEDR\n");
  EXPECT_EQ(net.fabric.top_lid(), kNoLid);
}

TEST(NetReader, BackToBackAdaptersAndLoopedPortsAreWarnedOf) {
  const Read net = read("Ca 1 \"a\"\n[1] \"b\"[1]\n\nCa 1 \"b\"\n[1] \"a\"[1]\n\nSwitch 4 \"s\"\n[3] \"s\"[3]\n");
  EXPECT_THAT(
      net.warnings,
      ElementsAre("net:2: \"a\"[1] and \"b\"[1] are connected back to back without a switch; no route leads there",
                  "net:8: \"s\"[3] is cabled to itself; the cable is ignored"));
  EXPECT_EQ(net.fabric.num_endports(), 2U);
  EXPECT_EQ(net.fabric.at(EndportId{0}).leaf, kNoSwitch);
}

// ibnetdiscover writes a peer's port GUID behind a blank, and only where the peer is no switch.
TEST(NetReader, BackToBackAdaptersAreReadAsIbnetdiscoverWritesThem) {
  const Read net = read(
      "Ca\t1 \"H-0002c90300100010\"\t\t# \"b\"\n"
      "[1](2c90300100011) \t\"H-0002c90300100000\"[1] (2c90300100001) \t\t# lid 4 lmc 1 \"a\" lid 2 4xSDR\n\n"
      "Ca\t1 \"H-0002c90300100000\"\t\t# \"a\"\n"
      "[1](2c90300100001) \t\"H-0002c90300100010\"[1] (2c90300100011) \t\t# lid 2 lmc 1 \"b\" lid 4 4xSDR\n");
  ASSERT_EQ(net.fabric.num_endports(), 2U);
  EXPECT_THAT(net.warnings, ElementsAre(testing::HasSubstr("are connected back to back without a switch")));
  const Endport& b = net.fabric.at(EndportId{1});
  EXPECT_EQ(b.port_guid, Guid{0x2c90300100011});
  EXPECT_EQ(b.lid, Lid{4});
}

TEST(NetReader, ASwitchCabledToItselfByTwoPortsKeepsTheLink) {
  const Read net = read("Switch 4 \"s\"\n[3] \"s\"[4]\n[4] \"s\"[3]\n");
  EXPECT_THAT(net.warnings, IsEmpty());
  EXPECT_EQ(net.fabric.num_switch_links(), 1U);
}

TEST(NetReader, EqualPortGuidsAreWarnedOf) {
  const Read net = read(
      "Switch 4 \"s\"\n[1] \"H-0000000000000010\"[2]\n[2] \"H-0000000000000011\"[1]\n\n"
      "Ca 2 \"H-0000000000000010\"\n[2] \"s\"[1]\n\nCa 1 \"H-0000000000000011\"\n[1] \"s\"[2]\n");
  ASSERT_EQ(net.warnings.size(), 1U);
  EXPECT_EQ(
      net.warnings[0],
      "net:8: \"H-0000000000000010\"[2] and \"H-0000000000000011\"[1] share the port GUID 0x0000000000000012; GUID "
      "files cannot tell them apart");
}

TEST(NetReader, ControlCharactersLeaveDescriptionsAndNoneIsLongerThanANodesOwn) {
  const Read net = read("Switch 4 \"s\" # \"a\tb" + std::string(100, 'x') + "\"\n");
  EXPECT_EQ(net.fabric.at(SwitchId{0}).description, "a b" + std::string(61, 'x'));
}

}  // namespace
}  // namespace espalier
