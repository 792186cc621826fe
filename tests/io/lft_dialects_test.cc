// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// opensm.fdbs, and what ibroute and dump_fts print with their options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lft/fdbs_writer.h"
#include "core/io/lft/lft_dump.h"
#include "core/io/lft/lft_text.h"
#include "tests/io/refusal.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

// L0 and L1 below S0, and a link between the leaves; LIDs: L0 1, S0 2, L1 3, h0 on L0 4, h1 on L1 5.
Fabric triangle() { return test::draw("L0:1 L0-S0 L1:1 L1-S0 L0-L1"); }

ForwardingTables tables_of(const Fabric& fabric, const std::vector<std::vector<unsigned>>& rows) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (unsigned s = 0; s < rows.size(); ++s)
    for (unsigned i = 0; i < rows[s].size(); ++i)
      tables.set(SwitchId{s}, id_at<Lid>(i + 1), id_at<PortNum>(rows[s][i]));
  return tables;
}

TEST(Fdbs, TablesAreWrittenAsOpenSmDumpsThem) {
  const Fabric fabric = triangle();
  // L0: the host of L1 by way of S0, one hop more than needed; S0: no route to L0; L1: to S0 out of its host's port.
  const ForwardingTables tables = tables_of(fabric, {{0, 2, 3, 1, 2}, {255, 0, 2, 1, 2}, {3, 1, 0, 3, 1}});
  EXPECT_EQ(write_fdbs(fabric, tables),
            "dump_ucast_routes: Switch 0x0002c90000000001\n"
            "LID    : Port : Hops : Optimal\n"
            "0x0001 : 000  : 00   : yes\n"
            "0x0002 : 002  : 01   : yes\n"
            "0x0003 : 003  : 01   : yes\n"
            "0x0004 : 001  : 01   : yes\n"
            "0x0005 : 002  : 03   : No 2 hop path possible via port 3!\n"
            "dump_ucast_routes: Switch 0x0002c90000000002\n"
            "LID    : Port : Hops : Optimal\n"
            "0x0001 : UNREACHABLE\n"
            "0x0002 : 000  : 00   : yes\n"
            "0x0003 : 002  : 01   : yes\n"
            "0x0004 : 001  : 02   : yes\n"
            "0x0005 : 002  : 02   : yes\n"
            "dump_ucast_routes: Switch 0x0002c90000000003\n"
            "LID    : Port : Hops : Optimal\n"
            "0x0001 : 003  : 01   : yes\n"
            "0x0002 : 001  : HOPS UNKNOWN\n"
            "0x0003 : 000  : 00   : yes\n"
            "0x0004 : 003  : 02   : yes\n"
            "0x0005 : 001  : 01   : yes\n");
}

TEST(Fdbs, WhatIsWrittenReadsBack) {
  const Fabric fabric = triangle();
  const ForwardingTables tables = tables_of(fabric, {{0, 2, 3, 1, 2}, {255, 0, 2, 1, 2}, {3, 1, 0, 3, 1}});
  const std::string text = write_fdbs(fabric, tables);
  EXPECT_EQ(read_lfts(text, "F", fabric).value(), tables);
  EXPECT_EQ(read_lft_text(text, "F").value()[2].ports[1], PortNum{3});
}

TEST(Fdbs, IbdiagnetsTablesMayLeaveLidsOut) {
  const Fabric fabric = triangle();
  const auto tables = read_lfts(R"(# File version: 1
osm_ucast_mgr_dump_ucast_routes: Switch 0x2c90000000001
LID    : Port : Hops : Optimal
0x0002 : 002  : 00   : yes
0x0005 : 003  : 00   : yes

osm_ucast_mgr_dump_ucast_routes: Switch 0x2c90000000002
LID    : Port : Hops : Optimal
0x0001 : UNREACHABLE
)",
                                "F", fabric);
  ASSERT_TRUE(tables) << tables.error().text();
  EXPECT_EQ(tables->at(SwitchId{0}, Lid{5}), PortNum{3});
  EXPECT_EQ(tables->at(SwitchId{0}, Lid{3}), kNoPort);
  EXPECT_EQ(tables->at(SwitchId{1}, Lid{1}), kNoPort);
}

TEST(LftDialects, WhatIbroutePrintsOfAllLidsAndWithoutNames) {
  const Fabric fabric = triangle();
  const auto tables = read_lfts(
      "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x0002c90000000001 (L0):\n"
      "  Lid  Out   Destination\n"
      "       Port     Info \n"
      "0x0000 255 : (path #0 - illegal port)\n"
      "0x0001 000 : (Switch portguid 0x0002c90000000001: 'L0')\n"
      "0x0003 255 : (illegal port)\n"
      "0x0005 003 \n"
      "6 lids dumped \n"
      "\n"
      "*** WARNING ***: this command has been replaced by dump_fts\n",
      "F", fabric);
  ASSERT_TRUE(tables) << tables.error().text();
  EXPECT_EQ(tables->at(SwitchId{0}, Lid{5}), PortNum{3});
  EXPECT_EQ(tables->at(SwitchId{0}, Lid{3}), kNoPort);
}

using Bad = test::BadText;
class FdbsRefusal : public test::Refusal {};

TEST_P(FdbsRefusal, NamesFileAndLine) { expect_refused(read_lfts(GetParam().text, "F", triangle())); }

#define L0 "dump_ucast_routes: Switch 0x2c90000000001\n"
#define S0 "dump_ucast_routes: Switch 0x2c90000000002\n"
INSTANTIATE_TEST_SUITE_P(
    All, FdbsRefusal,
    testing::Values(
        Bad{"dump_ucast_routes: Switch 0xx\n", "F:1: the GUID of the switch is not a 64-bit hexadecimal number"},
        Bad{"dump_ucast_routes: Switch 0x7\n", "F:1: switch 0x0000000000000007 is not in the fabric"},
        Bad{L0 "0x0001 001\n", "F:2: expected \":\" after the LID"},
        Bad{L0 "0x0001 : 001\n", "F:2: the entry has no hop count"},
        Bad{L0 "0x0001 : UNREACH\n", "F:2: the entry has no port number (0 to 254)"},
        Bad{L0 "0x0002 : UNREACHABLE\n", "F:2: LID 0x0002 follows 0x0000; the LIDs in between are missing"},
        Bad{L0 "0x0001 : UNREACHABLE\n0x0001 : UNREACHABLE\n", "F:3: expected a LID above 0x0001 here"},
        Bad{L0 "0x0001 : UNREACHABLE\n0x0002 : UNREACHABLE\n" S0 "0x0001 : 001  : 01   : yes\n",
            "F:5: this table ends at LID 0x0001, but the first one at 0x0002"},
        Bad{L0 "0x0001 : UNREACHABLE", "F:2: the text ends within a table"},
        Bad{L0 "0x0001 : UNREACHABLE\n" L0, "F:3: a second table of 0x0002c90000000001"},
        Bad{L0 "Unicast lids [0-4] of switch Lid 1 guid 0x2c90000000002 ('S0'):\n", "F:2: two dialects of tables"},
        Bad{"Unicast lids [0-4] of switch Lid 1 guid 0x2c90000000002 ('S0'):\n" L0, "F:2: a table begins within"},
        Bad{L0 "4 lids dumped\n", "F:2: a table ends here that never began"}));
#undef L0
#undef S0

}  // namespace
}  // namespace espalier
