// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Figures of Faizian 2018, chapter 5. The times of tables 5.4 and 5.6 are ranks x the time of the slowest rank,
// 400 MB at 4.7 GB/s x its share of a link.
#include <gtest/gtest.h>

#include "core/analysis/congestion/traffic.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"
#include "core/throughput/fabric_paths.h"
#include "core/throughput/linear_program.h"
#include "core/throughput/water_filling.h"

namespace espalier {
namespace {

std::vector<Flow> shift(std::size_t n, std::uint32_t k) {
  std::vector<Flow> flows;
  const std::vector<std::uint32_t> to = shift_permutation(n, k);
  for (std::uint32_t i = 0; i < n; ++i) flows.push_back({i, to[i], 1});
  return flows;
}

// p hosts on each of a routers in each of g groups, one link between any two groups, h at a router.
struct Groups {
  unsigned p, a, h, g;

  [[nodiscard]] Fabric fabric() const {
    using Handle = FabricBuilder::SwitchHandle;
    FabricBuilder builder;
    for (unsigned i = 0; i < g * a; ++i) {
      builder.add_switch(made_up_switch(1, i, "router", p + a - 1 + h));
      for (unsigned port = 1; port <= p; ++port)
        builder.connect(Handle{i}, PortNum(port), builder.add_endport(made_up_host(builder.num_endports(), 1, 1)),
                        kMadeUpRate);
    }
    for (unsigned group = 0; group < g; ++group) {
      for (unsigned i = 0; i < a; ++i)
        for (unsigned j = i + 1; j < a; ++j)
          builder.connect(Handle{group * a + i}, PortNum(p + j), Handle{group * a + j}, PortNum(p + i + 1),
                          kMadeUpRate);
      for (unsigned other = group + 1; other < g; ++other) {
        const unsigned here = other - 1, there = group;  // channel numbers
        builder.connect(Handle{group * a + here / h}, PortNum(p + a + here % h), Handle{other * a + there / h},
                        PortNum(p + a + there % h), kMadeUpRate);
      }
    }
    EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
    return std::move(builder).build().value();
  }
  [[nodiscard]] std::vector<std::uint32_t> group_of_switch() const {
    std::vector<std::uint32_t> groups;
    for (unsigned i = 0; i < g * a; ++i) groups.push_back(i / a);
    return groups;
  }
};

std::vector<EndportId> all_hosts(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  return hosts;
}

double seconds(const Groups& groups, std::uint32_t distance, bool valiant, bool fair) {
  const Fabric fabric = groups.fabric();
  const std::vector<EndportId> hosts = all_hosts(fabric);
  const PathProblem problem =
      fabric_paths(fabric, hosts, shift(hosts.size(), distance), {PathRule{}, valiant, groups.group_of_switch()});
  const FlowRates rates = !valiant && fair ? water_filling(problem) : maximum_concurrent_flow(problem).value();
  return static_cast<double>(hosts.size()) * (0.4 / 4.7) /
         *std::min_element(rates.of_flow.begin(), rates.of_flow.end());
}

constexpr Groups kSmall{2, 4, 2, 8};
constexpr Groups kLarge{4, 8, 4, 32};

TEST(MinimalRouting, takes_the_times_of_table_5_6) {
  for (const bool fair : {false, true}) {
    EXPECT_NEAR(seconds(kSmall, 8, false, fair), 43.6, 0.05);
    EXPECT_NEAR(seconds(kSmall, 12, false, fair), 21.8, 0.05);
    EXPECT_NEAR(seconds(kSmall, 26, false, fair), 32.7, 0.05);
    EXPECT_NEAR(seconds(kSmall, 43, false, fair), 27.2, 0.05);
    EXPECT_NEAR(seconds(kSmall, 55, false, fair), 38.1, 0.05);
  }
}

TEST(MinimalRouting, takes_the_times_of_table_5_4) {
  EXPECT_NEAR(seconds(kLarge, 32, false, true), 2788.8, 0.05);
  EXPECT_NEAR(seconds(kLarge, 50, false, true), 1568.7, 0.05);
  EXPECT_NEAR(seconds(kLarge, 230, false, true), 2265.9, 0.05);
  EXPECT_NEAR(seconds(kLarge, 513, false, true), 2701.6, 0.05);
  EXPECT_NEAR(seconds(kLarge, 790, false, true), 1917.3, 0.05);
}

// Shifting by a group at most half of the traffic may go over the direct link, or global links are full: two units of
// 5.447 s at best. SDN-optimal's simulation took 13.1.
TEST(ValiantRouting, of_a_shift_by_a_group_reaches_the_bound) {
  EXPECT_NEAR(seconds(kSmall, 8, true, false), 2 * 64 * 0.4 / 4.7, 0.2);
}

// SDN-optimal not behind SDN-model, and this before MIN, as in table 5.6. Its simulation of SDN-optimal takes 13.1 s for
// the shift by a group, whose rates allow 10.9 on any cabling; with that factor the mean of the five shifts is within 10 %
// of its own.
TEST(SdnRates, of_the_shifts_of_table_5_6_are_in_its_order) {
  const Fabric fabric = kSmall.fabric();
  const std::vector<EndportId> hosts = all_hosts(fabric);
  const double unit = 64 * 0.4 / 4.7;
  double sum = 0;
  double of_group_shift = 0;
  for (const std::uint32_t distance : {8, 12, 26, 43, 55}) {
    const PathProblem problem =
        fabric_paths(fabric, hosts, shift(hosts.size(), distance), {PathRule{}, true, kSmall.group_of_switch()});
    const double optimal = unit / maximum_concurrent_flow(problem)->bound_low;
    const double model = unit / maximum_concurrent_flow(with_tied_detours(problem))->bound_low;
    EXPECT_LE(optimal, model * (1 + 1e-6)) << distance;
    EXPECT_LT(model, 0.6 * seconds(kSmall, distance, false, true)) << distance;
    sum += optimal;
    if (distance == 8) of_group_shift = optimal;
  }
  EXPECT_NEAR(sum / 5 * 13.1 / of_group_shift, 13.1, 1.31);
}

// The group between is often entered and left by the same router, so that all its routers make one path. Were that no more
// than one of a group with a path for each router, detours would crowd where they are many: 0.125.
TEST(SdnRates, of_a_shift_by_a_group_reach_the_bound_with_1024_nodes_and_one_rate_for_all_detours) {
  const Fabric fabric = kLarge.fabric();
  const std::vector<EndportId> hosts = all_hosts(fabric);
  const PathProblem problem =
      fabric_paths(fabric, hosts, shift(hosts.size(), 32), {PathRule{}, true, kLarge.group_of_switch()});
  EXPECT_NEAR(maximum_concurrent_flow(with_tied_detours(problem))->bound_low, 0.5, 1e-6);
}

// A permutation whose saturated flows, as they are rounded, were more than the links carry.
TEST(ValiantRouting, of_a_permutation_is_shared_fairly_in_spite_of_rounding) {
  const Fabric fabric = kSmall.fabric();
  const std::vector<std::uint32_t> to = {31, 60, 7,  62, 55, 11, 6,  40, 10, 28, 19, 61, 63, 56, 41, 22,
                                         21, 45, 24, 33, 35, 52, 14, 5,  17, 38, 4,  58, 43, 59, 54, 57,
                                         34, 49, 30, 47, 20, 50, 9,  29, 16, 26, 8,  42, 44, 15, 37, 36,
                                         2,  18, 13, 0,  23, 3,  51, 27, 1,  12, 46, 32, 53, 39, 25, 48};
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < to.size(); ++i)
    if (to[i] != i) flows.push_back({i, to[i], 1});
  const PathProblem problem =
      fabric_paths(fabric, all_hosts(fabric), flows, {PathRule{}, true, kSmall.group_of_switch()});
  const auto rates = max_min_fair_rates(problem);
  ASSERT_TRUE(rates.has_value()) << rates.error().message;
  EXPECT_NEAR(*std::min_element(rates->of_flow.begin(), rates->of_flow.end()),
              maximum_concurrent_flow(problem)->bound_low, 1e-4);
}

}  // namespace
}  // namespace espalier
