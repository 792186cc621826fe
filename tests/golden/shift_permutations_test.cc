// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Published figures of Dmodk and Dmodc: shift permutations have congestion risk 1 on real-life fat trees (Zahavi 2010;
// Gliksberg 2022, 1.4.2) and the blocking factor on others (4 on the 8 640-host PGFT of 4.2.4).
#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/engines/engines.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

struct Published {
  const char* pgft;
  std::size_t hosts;
  std::uint32_t step;  // of the shifts that are tried
  std::uint32_t mu;    // of the worst of them

  friend void PrintTo(const Published& published, std::ostream* out) { *out << published.pgft; }
};

class ShiftPermutations : public testing::TestWithParam<Published> {};

TEST_P(ShiftPermutations, HaveThePublishedCongestionRisk) {
  const Fabric fabric = test::pgft(GetParam().pgft);
  const FatTree tree = *rank(fabric);
  const Routing routing = *make_engine("dmodc")->route(tree);
  const std::vector<EndportId> hosts = topological_order(tree, UpDownCosts(tree)).hosts;
  ASSERT_EQ(hosts.size(), GetParam().hosts);
  const RiskDistribution risk = shift_risk(HostRoutes(fabric, routing.tables, hosts), GetParam().step);
  EXPECT_EQ(risk.unrouted, 0U);
  EXPECT_EQ(risk.max(), GetParam().mu);
}

INSTANTIATE_TEST_SUITE_P(PerfectTrees, ShiftPermutations,
                         testing::Values(Published{"2;18,36;1,18;1,1", 648, 1, 1},
                                         Published{"2;18,18;1,9;1,2", 324, 1, 1},
                                         Published{"3;12,12,24;1,12,12;1,1,1", 3456, 16, 1},
                                         Published{"3;24,12,30;1,24,3;1,1,1", 8640, 80, 4}),
                         [](const auto& published) { return "hosts_" + std::to_string(published.param.hosts); });

}  // namespace
}  // namespace espalier
