// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Links that came up at a quarter of their width: who has other shortest paths leaves them alone. Figures by what links
// carry are the analysis', which knows nothing of prices.
#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/engines/balanced/balanced.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/closed_form_by_planes.h"
#include "core/engines/modulo/closed_form_on_fast_links.h"
#include "core/fabric/generators/site_changes.h"
#include "tests/engines/steps.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::Steps;

Fabric with_slow_links(std::string_view spec, std::size_t links, std::uint64_t seed, std::uint8_t lmc = 1) {
  return *change(test::pgft(spec, lmc),
                 {.guids = SiteChanges::Guids::kShuffled, .throttled_links = links, .seed = seed});
}

double worst_shift(const Steps& steps, const ForwardingTables& tables, LidUse use = {}) {
  return shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts, use)).per_capacity().max();
}

// Also of other offsets.
std::size_t entries_on_slow_links(const Steps& steps, const ForwardingTables& tables) {
  const Capacities capacities(steps.fabric);
  std::size_t found = 0;
  for (const SwitchId s : steps.fabric.switches())
    for (const EndportId e : steps.order.hosts)
      for (std::uint16_t offset = 0; offset < 2; ++offset) {
        const auto lid = lid_at_offset(steps.fabric.at(e).lid, offset);
        const bool climbs = steps.costs.down_cost(s, steps.fabric.at(e).leaf) == kUnreachable;
        if (climbs && capacities.of(steps.fabric.channel(s, tables.at(s, lid))) < 1) ++found;
      }
  return found;
}

TEST(ClosedFormOnFastLinks, IsNothingWhereNoLinkIsSlow) {
  const Steps alike(with_slow_links("3;4,4,4;1,4,4;1,1,1", 0, 1));
  EXPECT_FALSE(closed_form_on_fast_links(alike.problem, alike.tables).has_value());
  SiteChanges changes;
  for (changes.fast_spines = 7; changes.fast_spines <= 9; ++changes.fast_spines) {
    const Steps steps(*change(test::pgft("3;4,4,4;1,4,4;1,1,1"), changes));
    EXPECT_FALSE(closed_form_on_fast_links(steps.problem, steps.tables).has_value()) << "half the speed is not slow";
  }
}

TEST(ClosedFormOnFastLinks, IsAsGoodAsIfTheLinkWereLost) {
  for (const char* const spec : {"3;4,4,5;1,4,4;1,1,1", "2;6,8;1,6;1,1", "3;4,3,4;1,4,3;1,1,2"})
    for (std::uint64_t seed = 1001; seed < 1011; ++seed) {
      const Steps steps(with_slow_links(spec, 1, seed));
      const ForwardingTables tables = *closed_form_on_fast_links(steps.problem, steps.tables);
      EXPECT_EQ(shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts)).unrouted, 0U);
      EXPECT_EQ(entries_on_slow_links(steps, tables), 0U) << spec << " " << seed;
      EXPECT_LE(worst_shift(steps, tables), 2) << spec << " " << seed;
      EXPECT_GE(worst_shift(steps, closed_form_by_planes(steps.problem, steps.tables)), 4) << spec << " " << seed;
    }
}

TEST(ClosedFormOnFastLinks, TakesASlowLinkWhereThereIsNoOther) {
  const Steps steps(with_slow_links("2;4,5;1,1;1,1", 1, 1001));
  EXPECT_EQ(*closed_form_on_fast_links(steps.problem, steps.tables), steps.tables);
}

// One flow more on an idle link at a quarter of a host's rate costs more than one on a link that has a flow already:
// the first takes four times as long, the second twice.
TEST(ShiftLoads, PriceAFlowByWhatItLeavesOnTheLink) {
  const Steps steps(with_slow_links("3;4,4,5;1,4,4;1,1,1", 1, 1002));
  const TreeChannels channels(steps.tree);
  const HostColumns columns(steps.problem, channels, closed_form_by_planes(steps.problem, steps.tables));
  const Phases phases(steps.fabric, steps.order, {}, steps.order.hosts.size());
  ShiftLoads loads(steps.problem, channels, phases, 4);
  loads.count_all(columns);
  loads.set_prices(loads.summary());
  std::size_t slow = 0;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto c = id_at<TreeChannelId>(i);
    if (loads.weights().of[c] != 4 * loads.weights().unit) continue;
    ++slow;
    // No host sends to itself: under shift 0 every link is idle.
    const std::uint16_t of_idle = loads.price_at(c)[0];
    std::uint16_t most = 0;  // of all others; none has more than one flow in this tree
    for (std::size_t j = 0; j < channels.size(); ++j) {
      const auto other = id_at<TreeChannelId>(j);
      if (loads.weights().of[other] != loads.weights().unit) continue;
      for (std::size_t y = 0; y < loads.num_shifts(); ++y)
        most = std::max(most, loads.price_at(other)[y * loads.stride(other)]);
    }
    EXPECT_GT(of_idle, most);
  }
  EXPECT_EQ(slow, 2U) << "both directions";
}

TEST(Balanced, LeavesSlowLinksAlone) {
  for (std::uint64_t seed = 1001; seed < 1006; ++seed) {
    const Steps steps(with_slow_links("3;4,4,5;1,4,4;1,1,1", 4, seed));
    EXPECT_EQ(worst_shift(steps, balanced(steps.problem, {})), 2) << seed;
  }
}

// Traffic on all LIDs evenly loads channels by shares of flows. In eighths of these they would be too high for a byte.
TEST(Balanced, LeavesSlowLinksAloneWithAllLidsOfAHost) {
  const LidUse evenly{.kind = LidUse::Kind::kEvenly};
  for (const auto& [spec, lmc] : {std::pair{"2;12,8;1,4;1,1", 1}, {"3;4,4,6;1,2,2;1,2,2", 3}})
    for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
      const Steps steps(with_slow_links(spec, 2, seed, static_cast<std::uint8_t>(lmc)));
      EXPECT_LE(2 * worst_shift(steps, balanced(steps.problem, {.milliseconds = 1000}), evenly),
                worst_shift(steps, closed_form(steps.problem), evenly))
          << spec << " " << seed;
    }
}

// Loads of 16 LIDs that are too high to be repaired are compared all the same.
TEST(Balanced, IsNoWorseThanTheClosedFormWhereLoadsAreTooHighForARepair) {
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(with_slow_links("3;12,4,4;1,1,1;1,1,2", 2, seed, 4));
    const LidUse evenly{.kind = LidUse::Kind::kEvenly};
    EXPECT_LE(worst_shift(steps, balanced(steps.problem, {.milliseconds = 300}), evenly),
              worst_shift(steps, closed_form(steps.problem), evenly))
        << seed;
  }
}

}  // namespace
}  // namespace espalier
