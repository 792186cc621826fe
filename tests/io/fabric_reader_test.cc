// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The formats that read_fabric tells apart, each with the same small fabric: a leaf with two hosts below a spine.
#include "core/io/fabric_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/subnet/subnet_list.h"
#include "tests/io/refusal.h"
#include "tests/support/fabrics.h"
#include "tests/support/same_fabric.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kNet =
    "Switch 36 \"S-0002c90200000000\" # \"leaf 1\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-0002c90300000000\"[1](2c90300000001) # \"node1 HCA-1\" lid 3 4xQDR\n"
    "[2] \"H-0002c90300000010\"[2](2c90300000012) # \"node2 HCA-1\" lid 4 4xQDR\n"
    "[36] \"S-0002c90100000000\"[7] # \"spine 1\" lid 2 12xFDR10\n"
    "\n"
    "Switch 36 \"S-0002c90100000000\" # \"spine 1\" base port 0 lid 2 lmc 0\n"
    "[7] \"S-0002c90200000000\"[36] # \"leaf 1\" lid 1 12xFDR10\n"
    "\n"
    "Ca 1 \"H-0002c90300000000\" # \"node1 HCA-1\"\n"
    "[1](2c90300000001) \"S-0002c90200000000\"[1] # lid 3 lmc 0 \"leaf 1\" lid 1 4xQDR\n"
    "\n"
    "Ca 2 \"H-0002c90300000010\" # \"node2 HCA-1\"\n"
    "[2](2c90300000012) \"S-0002c90200000000\"[2] # lid 4 lmc 0 \"leaf 1\" lid 1 4xQDR\n";

// As ibnetdiscover -p prints, with the shell around it. The free ports tell how many a switch has.
constexpr const char* kReport =
    "[root@node1 ~]# ibnetdiscover -p\n"
    "CA     4  2 0x0002c90300000012 4x QDR - SW     1  2 0x0002c90200000000 ( 'node2 HCA-1' - 'leaf 1' )\n"
    "CA     3  1 0x0002c90300000001 4x QDR - SW     1  1 0x0002c90200000000 ( 'node1 HCA-1' - 'leaf 1' )\n"
    "SW     1 36 0x0002c90200000000 12x FDR10 - SW     2  7 0x0002c90100000000 ( 'leaf 1' - 'spine 1' )\n"
    "SW     1  3 0x0002c90200000000 4x SDR                                    'leaf 1'\n"
    "SW     1  2 0x0002c90200000000 4x QDR - CA     4  2 0x0002c90300000012 ( 'leaf 1' - 'node2 HCA-1' )\n"
    "SW     1  1 0x0002c90200000000 4x QDR - CA     3  1 0x0002c90300000001 ( 'leaf 1' - 'node1 HCA-1' )\n"
    "SW     2 36 0x0002c90100000000 4x ???                                    'spine 1'\n"
    "SW     2  7 0x0002c90100000000 12x FDR10 - SW     1 36 0x0002c90200000000 ( 'spine 1' - 'leaf 1' )\n";

#define LEAF                                                                                                          \
  "Ports:24 SystemGUID:0002c90200000003 NodeGUID:0002c90200000000 PortGUID:0002c90200000000 VenID:0002C9 DevID:B924 " \
  "Rev:000000A1 {leaf 1} LID:0001 "
#define SPINE                                                                                                \
  "Ports:24 SystemGUID:0002c90100000003 NodeGUID:0002c90100000000 PortGUID:0002c90100000000 VenID:000002C9 " \
  "DevID:B9240000 Rev:000000A1 {spine 1} LID:0002 "
#define NODE1                                                                                                         \
  "Ports:01 SystemGUID:0002c90300000003 NodeGUID:0002c90300000000 PortGUID:0002c90300000001 VenID:0002C9 DevID:6282 " \
  "Rev:000000A1 {node1 HCA-1} LID:0003 "
#define NODE2                                                                                                         \
  "Ports:02 SystemGUID:0002c90300000013 NodeGUID:0002c90300000010 PortGUID:0002c90300000012 VenID:0002C9 DevID:6282 " \
  "Rev:000000A1 {node2 HCA-1} LID:0004 "
constexpr const char* kSubnetList = "{ SW " LEAF "PN:24 } { SW " SPINE
                                    "PN:07 } PHY=12x LOG=ACT SPD=FDR10\n"
                                    "{ SW " LEAF "PN:01 } { CA-SM " NODE1
                                    "PN:01 } PHY=4x LOG=ACT SPD=10\n"
                                    "{ SW " LEAF "PN:02 } { CA " NODE2
                                    "PN:02 } PHY=4x LOG=ACT SPD=10\n"
                                    "{ SW " SPINE "PN:07 } { SW " LEAF
                                    "PN:24 } PHY=12x LOG=ACT SPD=FDR10\n"
                                    "{ CA-SM " NODE1 "PN:01 } { SW " LEAF
                                    "PN:01 } PHY=4x LOG=ACT SPD=10\n"
                                    "{ CA " NODE2 "PN:02 } { SW " LEAF "PN:02 } PHY=4x LOG=ACT SPD=10\n";

constexpr const char* kTopo =
    "# cables are said once or twice\n"
    "MTS3600 leaf-1\n"
    "   P1 -4x-10G-> MT23108 node-1 P1\n"
    "\tP2 -> HCA node-2 U1/P2\n"
    "   P36 -12X-> SW spine-1 7\n"
    "\n"
    "SW spine-1\n"
    "   P7 -12X-2.5G-> MTS3600 leaf-1 P36\n";

Fabric fabric_of(const char* text) {
  Result<ParsedNet> net = read_fabric(text, "FILE");
  EXPECT_TRUE(net) << net.error().text();
  EXPECT_TRUE(net->warnings.empty()) << net->warnings.front().text();
  return std::move(net->builder).build().value();
}

TEST(FabricReader, TheContentSaysWhichFormatItIs) {
  EXPECT_EQ(fabric_format(kNet), FabricFormat::kNet);
  EXPECT_EQ(fabric_format(kReport), FabricFormat::kPortsReport);
  EXPECT_EQ(fabric_format(kSubnetList), FabricFormat::kSubnetList);
  EXPECT_EQ(fabric_format(kTopo), FabricFormat::kTopo);
  EXPECT_EQ(fabric_format("\xEF\xBB\xBF# remark\r\n\r\nHca 1 \"h\"\r\n"), FabricFormat::kNet);
  EXPECT_EQ(fabric_format(""), FabricFormat::kUnknown);
  EXPECT_EQ(fabric_format("SW is short for switch\nCA 5\n[1] \"x\"[2]\n"), FabricFormat::kPortsReport);
  EXPECT_EQ(fabric_format("{\"switches\": []}\n"), FabricFormat::kUnknown);
}

TEST(FabricReader, FormatsThatSayTheSameGiveTheSameFabric) {
  const Fabric net = fabric_of(kNet);
  EXPECT_EQ(difference(net, fabric_of(kReport)), "");
  EXPECT_EQ(difference(net, fabric_of(kSubnetList)), "");
}

TEST(FabricReader, OfATopologyFileTheCablingIsRead) {
  const Fabric fabric = fabric_of(kTopo);
  ASSERT_EQ(fabric.num_switches(), 2U);
  ASSERT_EQ(fabric.num_endports(), 2U);
  const SwitchId leaf = SwitchId{fabric.at(SwitchId{0}).description == "leaf-1" ? 0U : 1U};
  EXPECT_EQ(fabric.at(leaf).num_ports, 36);
  EXPECT_EQ(fabric.rate(leaf, PortNum{36}), (LinkRate{12, LinkSpeed::kSdr}));
  EXPECT_EQ(fabric.rate(leaf, PortNum{1}), (LinkRate{4, LinkSpeed::kQdr}));
  EXPECT_EQ(fabric.rate(leaf, PortNum{2}), LinkRate{});
  const Peer& spine = fabric.peer(leaf, PortNum{36});
  ASSERT_TRUE(spine.is_switch());
  EXPECT_EQ(spine.port, PortNum{7});
  EXPECT_EQ(fabric.at(spine.as_switch()).num_ports, 7) << "as many as are spoken of";
  const Peer& node = fabric.peer(leaf, PortNum{2});
  ASSERT_TRUE(node.is_endport());
  EXPECT_EQ(fabric.at(node.as_endport()).description, "node-2");
  EXPECT_EQ(node.port, PortNum{2});
}

TEST(FabricReader, DumpsOfTablesAreNamedAsSuch) {
  for (const char* const text : {"Unicast lids [0-4] of switch Lid 1 guid 0x1 ('x'):\n4 lids dumped\n",
                                 "dump_ucast_routes: Switch 0x0000000000000001\n"})
    EXPECT_THAT(read_fabric(text, "F").error().text(), StartsWith("F: this is a dump of forwarding tables"));
  EXPECT_THAT(read_fabric("hello\n", "F").error().text(), HasSubstr("opensm-subnet.lst"));
}

TEST(SubnetList, WhatIsWrittenReadsBack) {
  for (const test::NamedFabric& drawn : test::all_drawn_fabrics()) {
    if (drawn.name == "loose_ends") continue;  // what has no link is not in the format
    Result<ParsedNet> net = read_subnet_list(write_subnet_list(drawn.fabric), "F");
    ASSERT_TRUE(net) << drawn.name << ": " << net.error().text();
    EXPECT_TRUE(net->warnings.empty()) << drawn.name;
    const Fabric again = std::move(net->builder).build().value();
    EXPECT_EQ(write_subnet_list(again), write_subnet_list(drawn.fabric)) << drawn.name;
  }
}

TEST(SubnetList, ASwitchLineHasTheFieldsThatIbdmchkWants) {
  const std::string text = write_subnet_list(fabric_of(kNet));
  EXPECT_THAT(text, HasSubstr("{ CA Ports:02 SystemGUID:0002c90300000010 NodeGUID:0002c90300000010 "
                              "PortGUID:0002c90300000012 VenID:000000 DevID:0000 Rev:00000000 {node2 HCA-1} LID:0004 "
                              "PN:02 } { SW Ports:24 "));
  EXPECT_THAT(text, HasSubstr("} PHY=12x LOG=ACT SPD=FDR10\n"));
}

// Old generators call every node a CA; a file that knows switches means what it says.
TEST(SubnetList, AnAdapterOfManyPortsIsASwitchWhereNothingElseIs) {
  const auto end = [](const char* kind, const char* guid, const char* port) {
    return fmt::format(
        "{{ {} Ports:24 SystemGUID:1 NodeGUID:{} PortGUID:{} VenID:1 DevID:1 Rev:1 {{x}} LID:0 PN:{} }} ", kind, guid,
        guid, port);
  };
  const std::string rate = "PHY=4x LOG=ACT SPD=10\n";
  const std::string old =
      end("CA", "A", "1") + end("CA", "B", "1") + rate + end("CA", "B", "1") + end("CA", "A", "1") + rate;
  EXPECT_EQ(fabric_of(old.c_str()).num_switches(), 2U);
  const std::string same_guid =
      end("SW", "A", "1") + end("CA", "A", "1") + rate + end("CA", "A", "1") + end("SW", "A", "1") + rate;
  EXPECT_EQ(fabric_of(same_guid.c_str()).num_switches(), 1U);
  EXPECT_EQ(fabric_of(same_guid.c_str()).num_endports(), 1U);
}

TEST(FabricReader, OneEndThatIsMissingIsAWarning) {
  const Result<ParsedNet> net = read_fabric(
      "SW 1 36 0x20 4x QDR - SW 2 7 0x10 ( 'a' - 'b' )\nSW 1 1 0x20 4x QDR - CA 3 1 0x31 ( 'a' - 'c' )\n", "F");
  ASSERT_TRUE(net);
  ASSERT_EQ(net->warnings.size(), 2U);
  EXPECT_EQ(net->warnings[0].text(), "F:1: only \"a\"[36] lists its cable to \"b\"[7]");
}

TEST(FabricReader, OddCablesAreWarningsAsInANetFile) {
  const Result<ParsedNet> net = read_fabric(
      "SW 1 1 0x20 4x QDR - SW 1 1 0x20 ( 'a' - 'a' )\n"
      "SW 1 2 0x20 4x QDR - CA 3 1 0x31 ( 'a' - 'h' )\n"
      "CA 4 1 0x31 4x QDR - SW 1 2 0x20 ( 'h' - 'a' )\n"
      "CA 5 1 0x41 4x QDR - CA 6 1 0x51 ( 'x' - 'y' )\n"
      "CA 6 1 0x51 4x QDR - CA 5 1 0x41 ( 'y' - 'x' )\n",
      "F");
  ASSERT_TRUE(net);
  std::string text;
  for (const Error& warning : net->warnings) text += warning.text() + "\n";
  EXPECT_THAT(text, HasSubstr("F:1: \"a\"[1] is cabled to itself"));
  EXPECT_THAT(text, HasSubstr("F:3: \"h\"[1] has LID 4 here, but 3 elsewhere; using 3"));
  EXPECT_THAT(text, HasSubstr("F:4: \"x\"[1] and \"y\"[1] are connected back to back"));
}

using Bad = test::BadText;
class FabricRefusal : public test::Refusal {};

TEST_P(FabricRefusal, NamesFileAndLine) { expect_refused(read_fabric(GetParam().text, "F")); }

INSTANTIATE_TEST_SUITE_P(
    PortsReport, FabricRefusal,
    testing::Values(
        Bad{"SW 1 0 0x20 4x QDR 'a'\n", "F:1: expected a port number, 1 to 254"},
        Bad{"SW 1 255 0x20 4x QDR 'a'\n", "F:1: expected a port number, 1 to 254"},
        Bad{"\nSW 1 1 20 4x QDR 'a'\n", "F:2: expected the port's GUID, 0x and hexadecimal digits"},
        Bad{"SW 1 1 0x0 4x QDR 'a'\n", "F:1: expected the port's GUID"},
        Bad{"SW 1 1 0x20 4x QDR\n", "F:1: expected \"-\" and the other end, or the name of the node in quotes"},
        Bad{"SW 1 1 0x20 4x QDR - XX 1 1 0x30 ( 'a' - 'b' )\n", "F:1: expected SW, CA or RT, not \"XX\""},
        Bad{"SW 1 1 0x20 4x QDR - SW 2 1 0x30 ( 'a' - 'b\n", "F:1: expected \"( 'NAME' - 'NAME' )\" at the end"},
        Bad{"SW 1 1 0x20 4x QDR - SW 2 1 0x30 ( 'a' - 'b' )\nSW 1 1 0x20 4x QDR - SW 2 2 0x30 ( 'a' - 'b' )\n",
            "F:2: a second line for \"a\"[1]; the first is line 1"},
        Bad{"SW 1 1 0x20 4x QDR - SW 2 1 0x30 ( 'a' - 'b' )\nSW 1 2 0x20 4x QDR - SW 2 1 0x30 ( 'a' - 'b' )\n",
            "F:2: \"a\"[2] and line 1 both have a cable to \"b\"[1]"},
        Bad{"SW 1 1 0x20 4x QDR - SW 2 1 0x30 ( 'a' - 'b' )\nSW 2 1 0x30 4x QDR - SW 1 2 0x20 ( 'b' - 'a' )\n",
            "F:1: \"a\"[1] is cabled to \"b\"[1], but line 2 says that the latter is cabled to \"a\"[2]"}));

INSTANTIATE_TEST_SUITE_P(
    SubnetList, FabricRefusal,
    testing::Values(
        Bad{"{ SW Ports:FF\n", "F:1: expected Ports: and the number of ports, 1 to FE"},
        Bad{"{ SW Ports:24 NodeGUID:1\n", "F:1: expected SystemGUID:"},
        Bad{"{ SW Ports:24 SystemGUID:1 NodeGUID:0\n", "F:1: expected NodeGUID: and a GUID that is not 0"},
        Bad{"{ SW Ports:24 SystemGUID:1 NodeGUID:1 PortGUID:x\n", "F:1: expected PortGUID:"},
        Bad{"{ SW Ports:24 SystemGUID:1 NodeGUID:1 PortGUID:1 DevID:1\n", "F:1: expected VenID: and a number"},
        Bad{"{ SW Ports:24 SystemGUID:1 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 Rev:1 {x\n",
            "F:1: expected the description of the node in braces"},
        Bad{"{ SW Ports:24 SystemGUID:1 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 Rev:1 {x} LID:xyz\n",
            "F:1: expected LID: and a LID"},
        Bad{"{ SW " LEAF "PN:00 }\n", "F:1: expected PN: and a port number, 1 to FE"},
        Bad{"{ SW " LEAF "PN:01\n", "F:1: expected \"}\" after the port number"},
        Bad{"{ SW " LEAF "PN:01 } SW\n", "F:1: expected \"{\" and a node"},
        Bad{"{ SW " LEAF "PN:01 } { Xx\n", "F:1: expected CA, SW or Rt after \"{\""},
        Bad{"{ SW " LEAF "PN:01 } { SW " SPINE "PN:01 }\n", "F:1: expected PHY= and the width"},
        Bad{"{ SW " LEAF "PN:01 } { SW " SPINE "PN:01 } PHY=4x LOG=ACT x\n", "F:1: expected SPD= and the speed"},
        Bad{"{ SW " LEAF "PN:25 } { SW " SPINE "PN:01 } PHY=4x LOG=ACT SPD=10\n",
            "F:1: port 37 of \"leaf 1\", which has only 36 ports"},
        Bad{std::string(kSubnetList) + "nonsense\n", "F:7: expected \"{\" and a node"}));

INSTANTIATE_TEST_SUITE_P(
    Topo, FabricRefusal,
    testing::Values(
        Bad{"  P1 -> SW s P1\n", "F:1: a cable outside of a system"},
        Bad{"SW s\n\n  P1 -> SW t P1\n", "F:3: a cable outside of a system"},
        Bad{"PALACE s\n  P1 -> SW t P1\n", "F:1: system type \"PALACE\" is in none of"},
        Bad{"SW s\n  P1 -> CASTLE t P1\n", "F:2: system type \"CASTLE\" is in none of"},
        Bad{"SW s CFG: leaf1=R\n  P1 -> SW t P1\n", "F:1: \"s\" is one chip and has no boards"},
        Bad{"SW s\n  P1 -> SW t P1\n\nCA t\n", "F:4: \"t\" is a CA here, but a SW in line 2"},
        Bad{"SW s\n  L1/P1 -> SW t P1\n", "F:2: \"L1/P1\" is not a plug of a single-chip system"},
        Bad{"SW s\n  P1 -> SW t P255\n", "F:2: \"P255\" is not a plug"},
        Bad{"SW s\n  P1 -> SW t P0\n", "F:2: \"P0\" is not a plug"},
        Bad{"SW s\n  P1 -4y-> SW t P1\n", "F:2: \"-4y->\" is not an arrow"},
        Bad{"SW s\n  P1 -3G-> SW t P1\n", "F:2: \"-3G->\" is not an arrow"},
        Bad{"SW s\n  P1 -99x-> SW t P1\n", "F:2: \"-99x->\" is not an arrow"},
        Bad{"SW s\n  P1 -> SW t P1\n  P2 -> SW\n", "F:3: neither \"TYPE NAME\" nor \"PLUG -> TYPE NAME PLUG\""},
        Bad{"MTS800 s\n  P9 -> SW t P1\n", "F:2: port 9 of \"s\", which has only 8 ports"},
        Bad{"SW s\n  P1 -> SW t P1\n  P1 -> SW t P2\n", "F:3: a second line for \"s\"[1]; the first is line 2"}));
#undef LEAF
#undef SPINE
#undef NODE1
#undef NODE2

}  // namespace
}  // namespace espalier
