// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The case study of Gliksberg 2022, chapter 3: compute nodes send to storage nodes of another group, all of them over
// the top of XGFT(3;4,4,6;1,2,2). Every fourth node is a storage node.
//
// The thesis prints the pattern with "mod 32"; the tree has 24 leaves, so it has to be 24.
#include <gtest/gtest.h>

#include <functional>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/traffic.h"
#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/host_pair_router.h"
#include "tests/support/path_risk.h"

namespace espalier {
namespace {

class CaseStudy : public testing::Test {
 protected:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // NIDs: source, destination

  void SetUp() override {
    ASSERT_EQ(nodes_.size(), 96U);
    for (std::uint32_t n = 0; n < 96; ++n)
      if (n % 4 != 3) collect_.push_back({n, (n / 4 + 4) % 24 * 4 + 3});
    for (const auto& [source, destination] : collect_) distribute_.push_back({destination, source});
  }

  // Algorithm 4 for "every node congruent to 3 modulo 4 is a storage node", compute nodes first.
  static std::uint32_t grouped(std::uint32_t nid) { return nid % 4 == 3 ? 72 + nid / 4 : nid / 4 * 3 + nid % 4; }

  std::uint32_t mu(const std::vector<Pair>& pattern,
                   const std::function<HostPairRouter::Path(std::uint32_t, std::uint32_t)>& path) const {
    std::vector<FlowPath> flows;
    for (const auto& [s, d] : pattern) flows.push_back({s, d, path(s, d)});
    return congestion_risk(flows);
  }
  // The closed form of whatever number.
  std::uint32_t mu_by(const std::vector<Pair>& pattern,
                      const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& number) const {
    return mu(pattern, [&](auto s, auto d) { return router_.by_number(nodes_[s], nodes_[d], number(s, d)); });
  }
  std::uint32_t dmodk(const std::vector<Pair>& pattern) const {
    return mu_by(pattern, [](auto, auto d) { return d; });
  }
  std::uint32_t smodk(const std::vector<Pair>& pattern) const {
    return mu_by(pattern, [](auto s, auto) { return s; });
  }
  std::uint32_t gdmodk(const std::vector<Pair>& pattern) const {
    return mu_by(pattern, [](auto, auto d) { return grouped(d); });
  }
  std::uint32_t gsmodk(const std::vector<Pair>& pattern) const {
    return mu_by(pattern, [](auto s, auto) { return grouped(s); });
  }

  const Fabric fabric_ = test::pgft("3;4,4,6;1,2,2;1,1,1");
  const FatTree tree_ = *rank(fabric_);
  const HostPairRouter router_{tree_};
  const std::vector<EndportId> nodes_ = router_.order().hosts;
  std::vector<Pair> collect_;     // C2IO
  std::vector<Pair> distribute_;  // and back
};

TEST_F(CaseStudy, HasThePublishedCongestionRisk) {
  EXPECT_EQ(dmodk(collect_), 4U) << "3.3.1";
  EXPECT_EQ(smodk(collect_), 4U) << "3.3.2";
  EXPECT_EQ(gdmodk(collect_), 1U) << "3.4.2";
  EXPECT_EQ(gsmodk(collect_), 3U) << "3.4.2";
}

TEST_F(CaseStudy, MirrorsSourcesAndDestinations) {
  EXPECT_EQ(dmodk(distribute_), smodk(collect_));
  EXPECT_EQ(smodk(distribute_), dmodk(collect_));
  EXPECT_EQ(gdmodk(distribute_), gsmodk(collect_));
  EXPECT_EQ(gsmodk(distribute_), gdmodk(collect_));
}

TEST_F(CaseStudy, GivesRandomShortestPaths3Or4) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::uint32_t risk =
        mu(collect_, [&](auto s, auto d) { return router_.at_random(nodes_[s], nodes_[d], seed); });
    EXPECT_TRUE(risk == 3 || risk == 4) << risk << " with seed " << seed;
  }
}

// 3.3.1: Dmodk and Ftree are the same here, as tables as well.
TEST_F(CaseStudy, GivesTheTablesOfDmodkAndFtree4) {
  std::vector<Flow> flows;
  for (const auto& [s, d] : collect_) flows.push_back({s, d});
  for (const char* engine : {"dmodk", "ftree"}) {
    const Routing routing = *make_engine(engine)->route(tree_);
    EXPECT_EQ(flow_risk(HostRoutes(fabric_, routing.tables, nodes_), flows).mu, 4U) << engine;
  }
}

// 3.4.2 with real tables: both phases, and the numbering of ours that has 1 in both.
TEST_F(CaseStudy, GivesTheTablesOfGxmodk1AndTheirMirrorImage3Or1) {
  EngineOptions options;
  options.node_types.types.push_back({"compute"});
  options.node_types.types.push_back({"storage"});
  options.node_types.of_endport = IdVector<EndportId, NodeTypeId>(fabric_.num_endports());
  for (std::size_t nid = 3; nid < 96; nid += 4) options.node_types.of_endport[nodes_[nid]] = NodeTypeId{1};
  const auto mu_of_tables = [&](const std::vector<Pair>& pattern) {
    std::vector<Flow> flows;
    for (const auto& [s, d] : pattern) flows.push_back({s, d});
    const Routing routing = *make_engine("gxmodk", options)->route(tree_);
    return flow_risk(HostRoutes(fabric_, routing.tables, nodes_), flows).mu;
  };
  options.gxmodk_mode = GxmodkMode::kGrouped;
  EXPECT_EQ(mu_of_tables(collect_), 1U) << "Gdmodk";
  EXPECT_EQ(mu_of_tables(distribute_), gsmodk(collect_)) << "3.4.2, the symmetric pattern";
  options.gxmodk_mode = GxmodkMode::kInterleaved;
  EXPECT_EQ(mu_of_tables(collect_), 1U);
  EXPECT_EQ(mu_of_tables(distribute_), 1U);
}

// What 1.4.3 prints for Smodk, the index of the input port, spreads by leaf where 3.3.2 spreads by source again: the
// two sources 0 and 2 of a leaf share a top, but only every other leaf meets them there.
TEST_F(CaseStudy, GivesSmodkByInputPortAnotherRisk) {
  EXPECT_EQ(mu(collect_, [&](auto s, auto d) { return router_.by_input_port(nodes_[s], nodes_[d]); }), 2U);
}

// Annex 1: as many links upward as hosts below. By input port every source has a path of its own to the top and every
// destination one down, so no permutation congests; a table can only do the latter.
TEST(LeisersonTree, IsNonBlockingByInputPortAndNotByTables) {
  const Fabric fabric = test::pgft("3;2,2,2;1,1,1;1,2,4");
  const FatTree tree = *rank(fabric);
  const HostPairRouter router(tree);
  const auto& hosts = router.order().hosts;
  const HostRoutes tables(fabric, make_engine("dmodk")->route(tree)->tables, hosts);
  std::uint32_t worst_of_tables = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto permutation = random_permutation(hosts.size(), 1, i);
    std::vector<FlowPath> flows;
    for (std::uint32_t s = 0; s < hosts.size(); ++s)
      flows.push_back({s, permutation[s], router.by_input_port(hosts[s], hosts[permutation[s]])});
    EXPECT_LE(congestion_risk(flows), 1U);
    worst_of_tables = std::max(worst_of_tables, congestion_risk(tables, permutation).mu);
  }
  EXPECT_GT(worst_of_tables, 1U);
}

}  // namespace
}  // namespace espalier
