// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lft_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/fabric_builder.h"
#include "tests/io/refusal.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

using testing::HasSubstr;

// Two leaves with a host each: LIDs 1 and 2 are the leaves', 3 and 4 the hosts'.
Fabric two_leaves() {
  FabricBuilder builder;
  const auto leaf = [&](std::uint64_t guid, const char* name, std::uint64_t host, const char* host_name) {
    Switch s;
    s.guid = Guid{guid};
    s.description = name;
    s.num_ports = 120;
    Endport e;
    e.node_guid = Guid{host};
    e.port_guid = Guid{host + 1};
    e.description = host_name;
    const auto here = builder.add_switch(s);
    builder.connect(here, PortNum{1}, builder.add_endport(e));
    return here;
  };
  const auto a = leaf(0x0201, "leaf\xC3\xA9", 0x9000, "node 0");
  const auto b = leaf(0x0300, "leaf 1", 0x9010, "node 1");
  builder.connect(a, PortNum{117}, b, PortNum{36});
  EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build().value();
}

ForwardingTables tables_of_two_leaves(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const auto set = [&](unsigned s, std::vector<unsigned> ports) {
    for (unsigned i = 0; i < ports.size(); ++i) tables.set(SwitchId{s}, id_at<Lid>(i + 1), id_at<PortNum>(ports[i]));
  };
  set(0, {0, 117, 1, 117});
  set(1, {36, 0, 255, 1});
  return tables;
}

// The order is that of GUIDs in network byte order, hence 0x0300 before 0x0201; unroutable LIDs have no line; what is
// not ASCII is blank.
constexpr const char* kDump =
    "Unicast lids [0-4] of switch Lid 2 guid 0x0000000000000300 ('leaf 1'):\n"
    "0x0001 036 # Switch portguid 0x0000000000000201: 'leaf  '\n"
    "0x0002 000 # Switch portguid 0x0000000000000300: 'leaf 1'\n"
    "0x0004 001 # Channel Adapter portguid 0x0000000000009011: 'node 1'\n"
    "4 lids dumped\n"
    "Unicast lids [0-4] of switch Lid 1 guid 0x0000000000000201 ('leaf  '):\n"
    "0x0001 000 # Switch portguid 0x0000000000000201: 'leaf  '\n"
    "0x0002 117 # Switch portguid 0x0000000000000300: 'leaf 1'\n"
    "0x0003 001 # Channel Adapter portguid 0x0000000000009001: 'node 0'\n"
    "0x0004 117 # Channel Adapter portguid 0x0000000000009011: 'node 1'\n"
    "4 lids dumped\n";

TEST(LftDump, TablesAreWrittenAsOpenSmDumpsThem) {
  const Fabric fabric = two_leaves();
  EXPECT_EQ(write_lfts(fabric, tables_of_two_leaves(fabric)), kDump);
}

TEST(LftDump, WhatIsWrittenReadsBack) {
  const Fabric fabric = two_leaves();
  const auto tables = read_lfts(kDump, "f", fabric);
  ASSERT_TRUE(tables) << tables.error().text();
  EXPECT_EQ(*tables, tables_of_two_leaves(fabric));
}

TEST(LftDump, AStreamGetsTheSameBytes) {
  const Fabric fabric = two_leaves();
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(write_lfts(file, fabric, tables_of_two_leaves(fabric)));
  std::string bytes(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
  EXPECT_EQ(bytes, kDump);
  (void)std::fclose(file);
}

TEST(LftDump, EveryLidOfAPortNamesThePort) {
  const Fabric fabric = test::draw("L0:1", 2);
  ForwardingTables tables(1, fabric.top_lid());
  tables.set(SwitchId{0}, Lid{5}, PortNum{1});
  tables.set(SwitchId{0}, Lid{2}, PortNum{1});
  const std::string dump = write_lfts(fabric, tables);
  EXPECT_THAT(dump, HasSubstr("0x0005 001 # Channel Adapter portguid 0x"));
  EXPECT_THAT(dump, HasSubstr("0x0002 001 # unknown node and type\n"));
  EXPECT_EQ(read_lfts(dump, "f", fabric).value(), tables);
}

TEST(LftDump, TheDialectOfDumpLftsIsReadToo) {
  const Fabric fabric = two_leaves();
  const auto tables = read_lfts(
      "Unicast lids [0x0-0x4] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000000300 (leaf 1):\r\n"
      "  Lid  Out   Destination\r\n"
      "       Port     Info \r\n"
      "0x0001 036 : (Switch portguid 0x0000000000000201: 'leaf')\r\n"
      "1 valid lids dumped \r\n",
      "f", fabric);
  ASSERT_TRUE(tables) << tables.error().text();
  EXPECT_EQ(tables->at(SwitchId{1}, Lid{1}), PortNum{36});
  EXPECT_EQ(tables->at(SwitchId{0}, Lid{1}), kNoPort);
}

TEST(LftDump, AnEndPortMayHaveItsOwnGuidOrTheOneOfIbsim) {
  const Fabric fabric = two_leaves();
  for (const char* const guid : {"0x9000", "0x9001"})
    EXPECT_TRUE(read_lfts(std::string("Unicast lids [0-4] of switch Lid 1 guid 0x201 ():\n0x0003 001 # portguid ") +
                              guid + ": ''\n4 lids dumped\n",
                          "f", fabric));
}

using BadDump = test::BadText;
class LftDumpRefusal : public test::Refusal {};

TEST_P(LftDumpRefusal, NamesFileAndLine) { expect_refused(read_lfts(GetParam().text, "lfts", two_leaves())); }

#define LEAF0 "Unicast lids [0-4] of switch Lid 1 guid 0x0000000000000201 ('leaf'):\n"
#define LEAF1 "Unicast lids [0-4] of switch Lid 2 guid 0x0000000000000300 ('leaf'):\n"
INSTANTIATE_TEST_SUITE_P(
    All, LftDumpRefusal,
    testing::Values(BadDump{"", "lfts: it contains no forwarding table"},
                    BadDump{"0x0001 001\n", "lfts:1: an entry outside of a switch's table"},
                    BadDump{"Unicast lids [0-4] of switch Lid 9 guid 0x0000000000000777 ('x'):\n",
                            "lfts:1: switch 0x0000000000000777 is not in the fabric"},
                    BadDump{"Unicast lids [0-4] of switch Lid 9\n", "lfts:1: a table without the GUID"},
                    BadDump{"Unicast lids [0-4] of switch Lid 9 guid 0xzz\n",
                            "lfts:1: the GUID of the switch is not a 64-bit hexadecimal number"},
                    BadDump{LEAF0 "0x0001 000\n4 lids dumped\n" LEAF0, "lfts:4: a second table of 0x0000000000000201"},
                    BadDump{LEAF0 "0x0001 000\n" LEAF1, "lfts:3: a table begins within another"},
                    BadDump{LEAF0 "0x0001 000\n", "lfts:2: the text ends within a table"},
                    BadDump{LEAF0 "\n0xc000 001\n", "lfts:3: the entry's LID is not a unicast LID (0x1 to 0xbfff)"},
                    BadDump{LEAF0 "0x0000 001\n", "lfts:2: the entry's LID is not a unicast LID"},
                    BadDump{LEAF0 "0xfffffffff 001\n", "lfts:2: the entry's LID is not a unicast LID"},
                    BadDump{LEAF0 "0x0005 001\n", "lfts:2: LID 0x0005 is above 0x0004, the highest in the fabric"},
                    BadDump{LEAF0 "0x0001 121\n", "lfts:2: port 121 of 0x0000000000000201"},
                    BadDump{LEAF0 "0x0001\n", "lfts:2: the entry has no port number"},
                    BadDump{LEAF0 "0x0001 1x\n", "lfts:2: the entry has no port number"},
                    BadDump{LEAF0 "0x0001 000\n0x0001 000\n", "lfts:3: a second entry for LID 0x0001"},
                    BadDump{LEAF0 "0x0003 001 # Switch portguid 0x0000000000000300: 'x'\n",
                            "lfts:2: LID 0x0003 belongs to 0x0000000000000300 here, but not in the fabric"},
                    BadDump{LEAF0 "nonsense\n", "lfts:2: neither a switch nor an entry"},
                    BadDump{"Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x1\n",
                            "lfts:1: this is a dump of multicast"}));
#undef LEAF0
#undef LEAF1

}  // namespace
}  // namespace espalier
