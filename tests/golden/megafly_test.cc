// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Gliksberg 2022, 1.3.2, Property 2, and 1.3.4: minimal routes of a MegaFly go up, at most once from spine to spine,
// and down, and close no credit loop.
//
// The property is about hosts. On InfiniBand spines have LIDs too, and one spine reaches another only by several links
// from spine to spine, or down and up again. So the links of a row get directions (tree_of_levels.cc), and a switch that has
// a path down takes it although another along the row may be shorter: one route of hosts in ten is not minimal.
#include "core/fabric/generators/megafly.h"

#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

class EveryMegaFly : public testing::TestWithParam<const char*> {
 protected:
  static Fabric made(const char* spec) {
    return parse_number_lists(spec).and_then(MegaFlySpec::from).and_then(generate_megafly).value();
  }
  // The differences of levels along the path from one host to another, as letters.
  [[nodiscard]] std::string shape(EndportId from, EndportId to) const {
    std::string word;
    for (const ChannelId c : walk(fabric_, routing_.tables, fabric_.at(from).leaf, fabric_.at(to).lid).channels) {
      const Level here = tree_.level(fabric_.source(c));
      const Level there = tree_.level(fabric_.peer(c).as_switch());
      word += there > here ? 'u' : there < here ? 'd' : 's';
    }
    return word;
  }

  const Fabric fabric_ = made(GetParam());
  const FatTree tree_ = *rank(fabric_);
  const Routing routing_ = *make_engine("dmodc")->route(tree_);
};

TEST_P(EveryMegaFly, IsRoutedOnItsLevelsAndNotFromOneRoot) {
  EXPECT_TRUE(verify(fabric_, routing_.tables).ok());
  EXPECT_TRUE(routing_.warnings.empty()) << routing_.warnings.front();
}

TEST_P(EveryMegaFly, SendsMostHostsUpOnceAlongTheSpinesAndDown) {
  std::size_t minimal = 0;
  std::size_t all = 0;
  for (const EndportId from : fabric_.endports())
    for (const EndportId to : fabric_.endports()) {
      const std::string path = shape(from, to);
      EXPECT_EQ(path.find("du"), std::string::npos) << "a turn";
      ++all;
      minimal += path.empty() || path == "ud" || path == "usd" ? 1 : 0;
    }
  EXPECT_GE(minimal * 5, all * 4) << minimal << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryMegaFly, testing::Values("5;2,2,2;2", "3;2,3,2;4", "9;1,2,4;2", "17;4,4,4;4"));

// 16 flows of a group share the one link to another group under the shift by a group's hosts; nobody can do better.
TEST(MegaFly, HasTheLeastCongestionRiskForShifts) {
  const Fabric fabric = *generate_megafly({17, 4, 4, 4, 4});
  const FatTree tree = *rank(fabric);
  const HostRoutes routes(fabric, make_engine("dmodc")->route(tree)->tables,
                          topological_order(tree, UpDownCosts(tree)).hosts);
  EXPECT_EQ(shift_risk(routes).max(), 16);
}

}  // namespace
}  // namespace espalier
