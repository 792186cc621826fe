// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/load_prices.h"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier {
namespace {

constexpr double kMeanSteps = 16;  // means are in sixteenths of a flow

LoadPrices prices(const Objective& objective = {}) {
  LoadPrices result(2, Hops{4}, objective);
  result.set({4, 8}, 32, 3, {.power = 5, .mean_share = 0.5});
  return result;
}

TEST(LoadPrices, AreThoseOfALongestPathWithin16Bits) {
  EXPECT_EQ(prices().highest(), 65535 / 8);
  EXPECT_EQ(LoadPrices(1, Hops{0}, {}).highest(), 65535 / 2);
}

TEST(LoadPrices, RiseWithTheFifthPowerOfTheLoadToHalfwayBetweenTheMostOfTheShiftAndTheMostOfAll) {
  const LoadPrices p = prices();
  for (std::uint16_t flows = 0; flows <= 8; ++flows) {
    EXPECT_NEAR(p.under_shift(flows, 0), p.highest() * std::min(1.0, std::pow((flows + 0.5) / 6, 5)), 1) << flows;
    EXPECT_NEAR(p.under_shift(flows, 1), p.highest() * std::min(1.0, std::pow((flows + 0.5) / 8, 5)), 1) << flows;
  }
  EXPECT_EQ(p.under_shift(50, 0), p.highest());
}

TEST(LoadPrices, OfMeansAreThoseOfPoissonDistributedFlowsAboveTheLikelyMaximum) {
  const LoadPrices p = prices();
  EXPECT_EQ(p.of_mean(0), 0);
  for (std::size_t step = 1; step <= 32; ++step) {
    const double likely =
        std::pow(static_cast<double>(step) / 32, 3) * std::exp(static_cast<double>(32 - step) / kMeanSteps);
    EXPECT_NEAR(p.of_mean(step), 0.5 * p.highest() * likely, 1) << step;
  }
  EXPECT_EQ(p.of_mean(99), p.of_mean(32));
}

TEST(LoadPrices, AreWeighedByTheObjective) {
  const LoadPrices shifts = prices({.shifts = 2, .random = 1});
  EXPECT_EQ(shifts.under_shift(8, 1), prices().under_shift(8, 1));
  EXPECT_NEAR(shifts.of_mean(32), prices().of_mean(32) / 2, 1);
  const LoadPrices random = prices({.shifts = 1, .random = 4});
  EXPECT_NEAR(random.under_shift(6, 1), prices().under_shift(6, 1) / 4, 1);
  EXPECT_EQ(random.of_mean(32), prices().of_mean(32));
}

}  // namespace
}  // namespace espalier
