// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/dmodk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engines/modulo/dmodc.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::pgft;
using testing::HasSubstr;

std::string refusal(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  const Result<Routing> routing = Dmodk().route(tree);
  return routing ? "" : routing.error().text();
}

TEST(Dmodk, RoutesPerfectPgftsAsDmodcDoes) {
  for (const char* spec :
       {"1;3;1;1", "2;2,3;1,2;1,1", "2;4,4;1,2;1,2", "3;2,3,2;1,2,3;1,1,2", "4;2,2,2,2;1,2,1,2;1,1,2,1"}) {
    const Fabric fabric = pgft(spec);
    const FatTree tree = *rank(fabric);
    const Result<Routing> routing = Dmodk().route(tree);
    ASSERT_TRUE(routing) << spec << ": " << routing.error().text();
    EXPECT_EQ(routing->tables, Dmodc().route(tree)->tables) << spec;
  }
}

TEST(Dmodk, DeclinesAPgftThatLostAnyLinkHostOrSwitch) {
  const Fabric whole = pgft("3;2,2,3;1,2,2;1,1,2");
  for (const SwitchId s : whole.switches()) {
    EXPECT_THAT(refusal(without_switch(whole, s)), HasSubstr("only for perfect PGFTs")) << whole.label(s);
    for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p)
      if (whole.peer(s, id_at<PortNum>(p)).kind != Peer::Kind::kNone) {
        EXPECT_THAT(refusal(without_link(whole, s, id_at<PortNum>(p))), HasSubstr("only for perfect PGFTs"))
            << whole.label(s) << " port " << p;
      }
  }
}

TEST(Dmodk, NamesWhatDeviates) {
  EXPECT_THAT(refusal(test::draw("L0:2 L1:1 ; L0-S0 L0-S1 L1-S0 L1-S1")), HasSubstr("(L1) has 1 hosts"));
  EXPECT_THAT(refusal(test::host_on_spine()), HasSubstr("(S0) has 1 host, and other switches below it"));
  EXPECT_THAT(refusal(test::two_subnets()), HasSubstr("2 disconnected parts"));
  EXPECT_THAT(refusal(test::generated("qft", "3;2,2,2;1,2,2;1,2,1")), HasSubstr("by several paths"));
}

// As many of everything as a PGFT, but the tops take their pairs crosswise: T0 has M0 and M2, T1 has M0 and M3.
TEST(Dmodk, DeclinesATreeThatOnlyHasTheNumbersOfAPgft) {
  const Fabric fabric = test::draw(
      "L0:1 L1:1 L2:1 L3:1 ; L0-M0 L0-M1 L1-M0 L1-M1 L2-M2 L2-M3 L3-M2 L3-M3 ;"
      "T0-M0 T0-M2 T1-M0 T1-M3 T2-M1 T2-M2 T3-M1 T3-M3");
  EXPECT_THAT(refusal(fabric), HasSubstr("share some switches above them"));
}

}  // namespace
}  // namespace espalier
