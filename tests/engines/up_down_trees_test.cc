// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/up_down_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string_view>

#include "core/dragonfly/detect.h"
#include "core/engines/engines.h"
#include "core/engines/layers/layers.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/shuffled_guids.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::with_lmc;
using test::with_shuffled_guids;
using ::testing::Contains;
using ::testing::HasSubstr;

Routing routed(std::string_view engine, const Fabric& fabric) {
  return make_engine(engine)->route(rank(fabric).value()).value();
}

struct Kind {
  std::string_view name, spec;
};
constexpr Kind kNoTrees[] = {{"jellyfish", "40,5,3"}, {"torus", "4,4,3,2"},      {"slimfly", "5,4"},
                             {"gdbg", "30,3,2"},      {"hyperx", "4,4,3;2"},     {"dragonfly", "2,4,2,9"},
                             {"kautz", "2,4"},        {"pgft", "2;4,4;1,2;1,1"}, {"megafly", "5;2,2,2;2"}};

TEST(UpDownTrees, AreSoundOnOneLaneWhateverTheFabric) {
  for (const auto& [kind, spec] : kNoTrees)
    for (const std::uint64_t seed : {7001U, 7002U}) {
      const Fabric whole = with_shuffled_guids(test::generated(kind, spec, 0, seed), seed);
      const Fabric damaged = degrade(whole, {.links = whole.num_switch_links() / 10 + 1, .seed = seed}).value();
      for (const Fabric& fabric : {whole, with_lmc(whole, 2), damaged}) {
        const Routing routing = routed(kQuickEngine, fabric);
        EXPECT_EQ(complaint(fabric, routing, 1), "") << kind << " " << spec << " " << seed;
        EXPECT_FALSE(routing.lanes);
      }
    }
}

TEST(UpDownTrees, LeadLidsOfAHostByDifferentPathsOnASmallFabric) {
  const Fabric fabric = with_lmc(test::generated("jellyfish", "40,5,3"), 2);
  const Routing routing = routed(kQuickEngine, fabric);
  std::size_t different = 0;
  for (const EndportId e : fabric.endports())
    for (const SwitchId s : fabric.switches()) {
      std::set<PortNum> ports;
      for (const Lid lid : lids_of(fabric.at(e))) ports.insert(routing.tables.at(s, lid));
      different += ports.size() > 1 ? 1 : 0;
    }
  EXPECT_GT(different, fabric.num_switches() * fabric.num_endports() / 16);
}

// One tree for each switch, for whatever LIDs there are.
TEST(UpDownTrees, AreFewOnALargeFabric) {
  const Fabric fabric = with_lmc(test::generated("jellyfish", "300,8,10"), 1);
  ASSERT_TRUE(is_large(fabric, 1));
  const Routing routing = routed(kQuickEngine, fabric);
  EXPECT_EQ(complaint(fabric, routing, 1), "");
  for (const EndportId e : fabric.endports())
    for (const SwitchId s : fabric.switches())
      if (const Endport& port = fabric.at(e); s != port.leaf) {
        for (const Lid lid : lids_of(port))
          ASSERT_EQ(routing.tables.at(s, lid), routing.tables.at(s, fabric.at(port.leaf).lid));
      }
}

TEST(StartEngine, IsAnotherOneWhereTheSearchTakesLong) {
  const Fabric small = test::generated("jellyfish", "24,5,3");
  const Fabric large = test::generated("jellyfish", "130,6,8");
  ASSERT_FALSE(is_large(small, 1));
  ASSERT_TRUE(is_large(large, 1));
  ASSERT_FALSE(is_large(large, 8));
  EngineOptions one_lane;
  one_lane.max_vls = 1;
  for (const Fabric* fabric : {&small, &large}) {
    EXPECT_EQ(start_engine("balanced", *fabric, {}), "dmodc");
    for (const std::string_view engine : {std::string_view("dmodc"), std::string_view("dragonfly"), kQuickEngine})
      EXPECT_EQ(start_engine(engine, *fabric, one_lane), "") << engine;
  }
  for (const char* engine : {"layers", "flows"}) {
    EXPECT_EQ(start_engine(engine, small, one_lane), "") << engine;
    EXPECT_EQ(start_engine(engine, large, {}), "") << engine << " finds lanes for shortest paths soon";
    EXPECT_EQ(start_engine(engine, large, one_lane), kQuickEngine) << engine;
  }
  EngineOptions typed;
  typed.node_types.of_endport = IdVector<EndportId, NodeTypeId>(small.num_endports());
  EXPECT_EQ(start_engine("balanced", small, typed), "balanced") << "node types are worth their own form";
}

// A whole one has a closed form, but with intermediate groups its proof takes long; a damaged one needs a search for lanes.
TEST(StartEngine, OfDragonfliesTakesShortestPathsOrOneLane) {
  const Fabric few = test::generated("dragonfly", "4,8,4,33");
  const Fabric many = with_lmc(few, 3);
  const Fabric most = test::generated("dragonfly", "6,12,6,49", 2);
  const auto start = [](std::string_view engine, const Fabric& fabric, unsigned max_vls = 8) {
    EngineOptions options;
    options.max_vls = max_vls;
    options.groups = std::make_shared<const DetectedGroups>(fabric);
    return start_engine(engine, fabric, options);
  };
  const auto without_links = [](const Fabric& fabric) { return degrade(fabric, {.links = 3, .seed = 7}).value(); };
  EXPECT_EQ(start("dragonfly-rlm", few), "");
  EXPECT_EQ(start("dragonfly-rlm", many), "") << "the closed form takes some milliseconds";
  EXPECT_EQ(start("dragonfly-rlm", most), "dragonfly");
  EXPECT_EQ(start("dragonfly-rlm", most, 2), "") << "which declines";
  EXPECT_EQ(start("dragonfly", most), "");
  for (const char* engine : {"layers", "flows"}) {
    EXPECT_EQ(start(engine, few), "") << engine;
    EXPECT_EQ(start(engine, most), "dragonfly") << engine;
    EXPECT_EQ(start(engine, most, 1), kQuickEngine) << engine;
    EXPECT_EQ(start(engine, without_links(most)), kQuickEngine) << engine;
  }
  EXPECT_EQ(start("dragonfly", without_links(few)), "");
  EXPECT_EQ(start("dragonfly", without_links(many)), kQuickEngine);
  EXPECT_EQ(start("dragonfly-rlm", without_links(many)), kQuickEngine);
  EXPECT_EQ(start("dragonfly", test::generated("jellyfish", "300,8,40")), "") << "no dragonfly: it declines";
  EXPECT_EQ(start_engine("dragonfly-rlm", most, {}), "") << "nobody has looked for groups";
}

// What engines for trees do with a fabric that is none.
TEST(LastResort, IsAnotherEngineWhereLevelsMeanLittle) {
  for (const auto& [kind, spec] : {Kind{"torus", "5,5,5,2"}, {"slimfly", "7,3"}, {"hyperx", "5,5,5;2"}}) {
    const Fabric fabric = with_shuffled_guids(test::generated(kind, spec), 9);
    ASSERT_FALSE(is_large(fabric, 1));
    const Routing none = routed("dmodc", fabric);
    EXPECT_EQ(none.tables, Layers("layers", 1).route(rank(fabric).value())->tables) << kind;
    EXPECT_EQ(complaint(fabric, none, 1), "");
    EXPECT_THAT(none.warnings, Contains(HasSubstr("this is no fat tree: "))) << kind;
    EXPECT_THAT(none.warnings, Contains(HasSubstr("engine layers on one virtual lane"))) << kind;
  }
}

// Many pairs of hosts have no up-down path here either, but detours between levels.
TEST(LastResort, IsNotForDamagedTrees) {
  const Fabric whole = with_shuffled_guids(test::generated("pgft", "3;4,4,6;1,4,4;1,1,1"), 9);
  const Fabric fabric = degrade(whole, {.links = whole.num_switch_links() * 2 / 5, .seed = 3}).value();
  const Routing routing = routed("dmodc", fabric);
  EXPECT_EQ(complaint(fabric, routing, 1), "");
  EXPECT_THAT(routing.warnings, Contains(HasSubstr("have no up-down path and take a detour")));
  EXPECT_THAT(routing.warnings, Not(Contains(HasSubstr("this is no fat tree"))));
}

// The torus of 1 024 hosts that took 12 s by detours: a subnet manager waits for these tables.
TEST(LastResort, TakesLittleTimeOnALargeFabric) {
  const Fabric fabric = with_shuffled_guids(test::generated("torus", "8,8,4,4"), 9);
  ASSERT_TRUE(is_large(fabric, 1));
  EXPECT_EQ(routed("dmodc", fabric).tables, routed(kQuickEngine, fabric).tables);
}

}  // namespace
}  // namespace espalier
