// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Against a linear program in tests/throughput, against a slow implementation and SimGrid in tests/simulation.
#include "core/analysis/congestion/progressive_filling.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(ProgressiveFilling, GivesWhatIsLeftToThoseWhoCanHaveMore) {
  ResourceShares flows;
  flows.add(0, 1);  // a
  flows.end_flow();
  flows.add(0, 1);  // b
  flows.add(1, 1);
  flows.end_flow();
  flows.add(1, 1);  // c
  flows.end_flow();
  flows.end_flow();  // one that crosses nothing
  const SharedRates rates = progressive_filling(flows, {1, 2, 0});
  EXPECT_EQ(rates.of_flow, (std::vector<double>{0.5, 0.5, 1.5, 0}));
  EXPECT_EQ(rates.least, 0.5);
}

TEST(ProgressiveFilling, OfNobodyIsNothing) {
  const SharedRates rates = progressive_filling({}, {1});
  EXPECT_TRUE(rates.of_flow.empty());
  EXPECT_EQ(rates.least, 0);
}

}  // namespace
}  // namespace espalier
