// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ftree on drawn trees, entry by entry, and against the closed form that it equals on perfect trees.
#include "core/engines/ftree/ftree.h"

#include <gtest/gtest.h>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/engines/modulo/closed_form.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::draw;
using test::endport_named;
using test::switch_named;

ForwardingTables ftree_on(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return ftree(RoutingProblem(tree));
}

// The name of the switch to which `from` sends packets for `host`.
std::string next(const Fabric& fabric, const ForwardingTables& tables, std::string_view from, std::string_view host) {
  const SwitchId s = switch_named(fabric, from);
  const Step taken = step(fabric, tables, s, fabric.at(endport_named(fabric, host)).lid);
  return taken.kind == Step::Kind::kForward ? fabric.at(taken.next).description : "";
}

// By hand. Hosts h0 .. h5 come one after the other; each leaf counts for itself, so its first host comes down from S0,
// its second from S1, and everybody sends to that spine.
TEST(Ftree, GivesEachHostOfALeafASpineOfItsOwn) {
  const Fabric fabric = test::two_level_tree();
  const ForwardingTables tables = ftree_on(fabric);
  for (const char* leaf : {"L0", "L1", "L2"})
    for (const int host : {0, 1, 2, 3, 4, 5}) {
      const std::string name = "h" + std::to_string(host);
      if (fabric.at(endport_named(fabric, name)).leaf == switch_named(fabric, leaf)) continue;
      EXPECT_EQ(next(fabric, tables, leaf, name), host % 2 == 0 ? "S0" : "S1") << leaf << " to " << name;
    }
}

// By hand. S1 lost its link to L1. h0 comes down S0, which reaches everybody. For h1 the least used link of L0 leads
// to S1, from where L1 cannot be reached: L2 sends to S1, L1 to S0. That second attempt does not count, so h2 is S0's.
TEST(Ftree, CountsOnlyTheFirstAttemptOfASwitch) {
  const Fabric fabric = draw("L0:3 L1:1 L2:1 ; L0-S0 L0-S1 L1-S0 L2-S0 L2-S1");
  const ForwardingTables tables = ftree_on(fabric);
  EXPECT_EQ(next(fabric, tables, "L1", "h0"), "S0");
  EXPECT_EQ(next(fabric, tables, "L2", "h0"), "S0");
  EXPECT_EQ(next(fabric, tables, "L1", "h1"), "S0");
  EXPECT_EQ(next(fabric, tables, "L2", "h1"), "S1");
  EXPECT_EQ(next(fabric, tables, "L2", "h2"), "S0");
}

TEST(Ftree, EqualsTheClosedFormBetweenHostsOfPerfectTrees) {
  for (const char* spec : {"2;4,6;1,4;1,1", "2;4,4;1,2;1,2", "3;4,3,5;1,4,3;1,1,1", "3;3,3,6;1,3,3;1,1,1"}) {
    const Fabric fabric = test::pgft(spec);
    const FatTree tree = *rank(fabric);
    const RoutingProblem problem(tree);
    const ForwardingTables by_counters = ftree(problem);
    const ForwardingTables by_arithmetic = closed_form(problem);
    for (const EndportId a : problem.order.hosts)
      for (const EndportId b : problem.order.hosts)
        ASSERT_EQ(walk(fabric, by_counters, fabric.at(a).leaf, fabric.at(b).lid).channels,
                  walk(fabric, by_arithmetic, fabric.at(a).leaf, fabric.at(b).lid).channels)
            << spec << ": " << fabric.label(a) << " to " << fabric.label(b);
  }
}

TEST(Ftree, LetsParallelLinksTakeTurns) {
  const Fabric fabric = draw("L0:2 L1:1 S; L0-S L0-S L1-S");
  const ForwardingTables tables = ftree_on(fabric);
  const SwitchId s = switch_named(fabric, "S");
  EXPECT_NE(tables.at(s, fabric.at(endport_named(fabric, "h0")).lid),
            tables.at(s, fabric.at(endport_named(fabric, "h1")).lid));
}

// In a QFT a switch above the destination may stand below another one; the printed algorithm would send it up there.
TEST(Ftree, SendsDownFromEverySwitchAboveTheDestination) {
  const Fabric fabric = test::generated("qft", "3;4,4,4;1,2,4;1,2,1");
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  const ForwardingTables tables = ftree_on(fabric);
  for (const EndportId e : fabric.endports())
    for (const SwitchId s : fabric.switches()) {
      if (costs.down_cost(s, fabric.at(e).leaf) == kUnreachable || s == fabric.at(e).leaf) continue;
      const Walk taken = walk(fabric, tables, s, fabric.at(e).lid);
      EXPECT_EQ(taken.outcome, Step::Kind::kDelivered);
      EXPECT_EQ(taken.channels.size(), costs.down_cost(s, fabric.at(e).leaf));
    }
}

TEST(Ftree, KeepsOffsetZeroEqualToThePlainRoute) {
  const Fabric plain = test::pgft("2;4,6;1,4;1,2");
  const Fabric many = test::with_lmc(plain, 2);
  const ForwardingTables a = ftree_on(plain);
  const ForwardingTables b = ftree_on(many);
  for (const SwitchId s : plain.switches())
    for (const EndportId e : plain.endports()) EXPECT_EQ(a.at(s, plain.at(e).lid), b.at(s, many.at(e).lid));
}

TEST(Ftree, RoutesEveryDrawnFabricSoundlyAsAnEngine) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    const FatTree tree = *rank(fabric);
    const Result<Routing> routing = make_engine("ftree")->route(tree);
    ASSERT_TRUE(routing) << name << ": " << routing.error().text();
    EXPECT_TRUE(verify(fabric, routing->tables).ok()) << name;
  }
}

}  // namespace
}  // namespace espalier
