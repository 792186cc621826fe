// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The engine sftree and the option that all engines share with it: what joins pairs without an up-down path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/generators/directors.h"
#include "tests/engines/minhop.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::endport_named;
using test::pgft;
using test::switch_named;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Routing route(const Fabric& fabric, std::string_view engine, const EngineOptions& options = {}) {
  return *make_engine(engine, options)->route(*rank(fabric));
}

EngineOptions with(SwitchPaths how) {
  EngineOptions options;
  options.switch_paths.how = how;
  return options;
}

// Bogdanski 2012, Figure 2: on three stages, shortest paths between switches and between hosts close a credit loop.
TEST(Sftree, IsFreeOfTheCreditLoopThatMinhopHasOnThreeStages) {
  const Fabric fabric = test::three_level_tree();
  const VerifyReport minhop = verify(fabric, test::minhop(fabric));
  ASSERT_FALSE(minhop.ok());
  EXPECT_EQ(minhop.violations.front().kind, Violation::Kind::kCreditLoop);
  EXPECT_TRUE(verify(fabric, route(fabric, "sftree").tables).ok());
}

TEST(Sftree, RoutesWhatHasAnUpDownPathByItsBase) {
  const Fabric fabric = pgft("3;3,3,4;1,3,3;1,1,1");
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  EngineOptions over_dmodc;
  over_dmodc.sftree_base = SftreeBase::kDmodc;
  const std::vector<std::tuple<std::string, EngineOptions>> bases{{"ftree", {}}, {"dmodc", over_dmodc}};
  for (const auto& [base, options] : bases) {
    const ForwardingTables expected = route(fabric, base, with(SwitchPaths::kNone)).tables;
    const ForwardingTables tables = route(fabric, "sftree", options).tables;
    for (const SwitchId s : fabric.switches())
      for (std::size_t lid = 1; lid < tables.width(); ++lid)
        if (costs.cost(s, fabric.destination_switch(id_at<Lid>(lid))) != kUnreachable) {
          ASSERT_EQ(tables.at(s, id_at<Lid>(lid)), expected.at(s, id_at<Lid>(lid))) << base;
        }
  }
}

TEST(Sftree, KeepsTurnsAwayFromTheSubnetManager) {
  const Fabric fabric = pgft("2;3,4;1,5;1,1");
  const FatTree tree = *rank(fabric);
  for (const EndportId manager : fabric.endports()) {
    EngineOptions options;
    options.switch_paths.subnet_manager = fabric.at(manager).port_guid;
    const auto turns = test::turns_of(tree, route(fabric, "sftree", options).tables);
    EXPECT_THAT(turns, Not(IsEmpty()));
    EXPECT_THAT(turns, Not(Contains(testing::Field(&test::Turn::at, fabric.at(manager).leaf))));
  }
}

// Table III and Figure 1 of the paper, and smaller relatives of JuRoPA and Ranger.
TEST(Sftree, IsSoundOnThePapersKindsOfTrees) {
  for (const NumberLists& spec : std::vector<NumberLists>{
           {{54, 12, 12}, {1, 36}, {12, 1}}, {{48, 2, 4}, {4, 12}, {2, 2}}, {{48, 4, 4}, {2, 8, 3}}}) {
    const Fabric fabric = generate_directors(DirectorsSpec::from(spec).value()).value();
    const Routing routing = route(fabric, "sftree");
    EXPECT_THAT(routing.warnings, IsEmpty());
    EXPECT_TRUE(verify(fabric, routing.tables).ok());
  }
}

TEST(SwitchPaths, NoneLeavesSpinesWithoutRoutesToEachOtherAndSaysSo) {
  const Fabric fabric = test::two_level_tree();
  for (const char* engine : {"dmodc", "ftree"}) {
    const Routing routing = route(fabric, engine, with(SwitchPaths::kNone));
    EXPECT_THAT(routing.warnings, ElementsAre("2 ordered pairs of switches have no up-down path and no route"));
    const VerifyReport report = verify(fabric, routing.tables);
    EXPECT_EQ(report.num_violations, 2U);
    EXPECT_EQ(report.violations.front().kind, Violation::Kind::kMissingEntry);
  }
}

TEST(SwitchPaths, UpDownRoutesAllFromOneRoot) {
  const Fabric fabric = test::two_level_tree();
  const Routing routing = route(fabric, "dmodc", with(SwitchPaths::kUpDown));
  EXPECT_THAT(routing.warnings, ElementsAre(HasSubstr("routed up*/down* from the root")));
  EXPECT_TRUE(verify(fabric, routing.tables).ok());
}

TEST(SwitchPaths, UpDownChangesNothingWhereEveryPairHasAnUpDownPath) {
  const Fabric fabric = pgft("2;3,4;1,1;1,2");
  const Routing routing = route(fabric, "dmodc", with(SwitchPaths::kUpDown));
  EXPECT_THAT(routing.warnings, IsEmpty());
  EXPECT_EQ(routing.tables, route(fabric, "dmodc").tables);
}

TEST(SwitchPaths, OfTurnsAtSeveralPlacesAreToldOf) {
  const Fabric fabric = test::draw("L0:1 L1:1 L2:1 S0 S1 S2; L0-S0 L0-S1 L1-S1 L1-S2 L2-S2 L2-S0");
  const Routing routing = route(fabric, "sftree");
  EXPECT_THAT(routing.warnings, Contains(HasSubstr("no single subtree connects")));
  EXPECT_TRUE(verify(fabric, routing.tables).ok());
}

}  // namespace
}  // namespace espalier
