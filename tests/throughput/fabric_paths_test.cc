// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/fabric_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

using testing::ElementsAre;

// Between two leaves below two spines, two LIDs for each host.
class TablePaths : public testing::Test {
 protected:
  [[nodiscard]] ChannelId channel(std::string_view from, std::string_view to) const {
    const SwitchId s = test::switch_named(fabric_, from);
    for (std::size_t p = 1;; ++p)
      if (const Peer& peer = fabric_.peer(s, id_at<PortNum>(p));
          peer.is_switch() && peer.as_switch() == test::switch_named(fabric_, to))
        return fabric_.channel(s, id_at<PortNum>(p));
  }
  [[nodiscard]] static bool takes(const PathProblem& problem, std::size_t path, ChannelId c) {
    const auto steps = problem.resources(path);
    return std::find(steps.begin(), steps.end(), static_cast<std::uint32_t>(c)) != steps.end();
  }

  Fabric fabric_ = test::draw("A:1 B:1 S T; A-S A-T B-S B-T", 1);
  FatTree tree_ = *rank(fabric_);
  ForwardingTables tables_ = make_engine("dmodc")->route(tree_)->tables;
  std::vector<EndportId> hosts_{test::endport_named(fabric_, "h0"), test::endport_named(fabric_, "h1")};
};

TEST_F(TablePaths, AreOneForEachLidOfTheDestination) {
  const PathProblem problem = table_paths(fabric_, tables_, hosts_, std::vector<Flow>{{0, 1}});
  ASSERT_EQ(problem.num_paths(), 2U);
  EXPECT_THAT(problem.offsets, ElementsAre(0, 1));
  EXPECT_THAT(problem.detours, ElementsAre(0, 0));
  for (const std::size_t path : {0, 1}) {
    EXPECT_EQ(problem.resources(path).size(), 4U) << "two channels, and the links of both hosts";
    EXPECT_NE(takes(problem, path, channel("A", "S")), takes(problem, path, channel("A", "T")));
    EXPECT_EQ(takes(problem, path, channel("A", "S")), takes(problem, path, channel("S", "B")));
  }
  EXPECT_NE(takes(problem, 0, channel("A", "S")), takes(problem, 1, channel("A", "S")));
}

TEST_F(TablePaths, ThatAreTheSameAreOne) {
  const Lid base = fabric_.at(hosts_[1]).lid;
  for (const SwitchId s : fabric_.switches()) tables_.set(s, id_at<Lid>(index(base) + 1), tables_.at(s, base));
  const PathProblem problem = table_paths(fabric_, tables_, hosts_, std::vector<Flow>{{0, 1}});
  EXPECT_EQ(problem.num_paths(), 1U);
  EXPECT_THAT(problem.offsets, ElementsAre(0));
}

TEST_F(TablePaths, OfAFlowToItselfAreNone) {
  const PathProblem problem = table_paths(fabric_, tables_, hosts_, std::vector<Flow>{{1, 1}, {1, 0}});
  EXPECT_THAT(problem.first_path, ElementsAre(0, 0, 2));
}

// Of a triangle the two shortest paths of a pair are all, and the second leads over the third switch.
TEST(FabricPaths, AreOnceThereThoughValiantHasThemAsWell) {
  const Fabric fabric = test::draw("A:1 B:1 C; A-B A-C B-C");
  const std::vector<EndportId> hosts{test::endport_named(fabric, "h0"), test::endport_named(fabric, "h1")};
  FabricPathRule rule{PathRule{PathRule::Kind::kKShortest, 2}, true};
  EXPECT_EQ(fabric_paths(fabric, hosts, std::vector<Flow>{{0, 1}}, rule).num_paths(), 2U);
  rule.rule.parameter = 1;
  EXPECT_EQ(fabric_paths(fabric, hosts, std::vector<Flow>{{0, 1}}, rule).num_paths(), 2U);
}

}  // namespace
}  // namespace espalier
