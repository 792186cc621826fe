// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/step_costs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/engines/balanced/parameters.h"
#include "tests/engines/steps.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::Steps;

// 8 leaves with 4 hosts each.
Fabric two_levels() { return test::pgft("2;4,8;1,4;1,1"); }

std::uint64_t counts(std::uint64_t runs, std::uint64_t phases, const TreeChannels& channels) {
  return kBalanced.additions_per_load * channels.size() * phases + kBalanced.additions_per_count * 32 * runs;
}

TEST(StepCosts, CountAllSourcesOfALeafAtOnceWhereTheOrderFollowsTheLeaves) {
  const Steps steps(two_levels());
  const TreeChannels channels(steps.tree);
  const StepCosts costs(steps.problem, channels, {});
  EXPECT_EQ(costs.entries(), 32U * 12U);
  EXPECT_EQ(costs.counting(5), counts(5, 5, channels));
  EXPECT_EQ(costs.counting(31), counts(8, 31, channels));
  EXPECT_EQ(costs.pricing(7), kBalanced.additions_per_price * channels.size() * 7);
}

TEST(StepCosts, CountEachSourceWhereJobsNumberHostsOtherwise) {
  Steps steps(two_levels());
  std::reverse(steps.problem.order.jobs.begin(), steps.problem.order.jobs.end());
  const TreeChannels channels(steps.tree);
  EXPECT_EQ(StepCosts(steps.problem, channels, {}).counting(31), counts(31, 31, channels));
}

TEST(StepCosts, AffordAsManyPhasesAsTheBudgetPaysAndNoMore) {
  const Steps steps(two_levels());
  const TreeChannels channels(steps.tree);
  const StepCosts costs(steps.problem, channels, {});
  const auto whole = [&](std::size_t phases) { return costs.counting(phases) + costs.pricing(phases) + 100 * phases; };
  for (const std::uint64_t additions :
       {std::uint64_t{0}, whole(1) - 1, whole(1), whole(7) + 3, whole(8), whole(30) - 1}) {
    const std::size_t phases = costs.affordable_phases(additions, 100);
    EXPECT_TRUE(phases == 0 || whole(phases) <= additions) << phases;
    EXPECT_GT(whole(phases + 1), additions);
  }
}

}  // namespace
}  // namespace espalier
