// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/simulation/flow_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/analysis/routes/walk.h"
#include "core/engines/engines.h"
#include "core/simulation/fair_rates.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using testing::DoubleNear;
using testing::Each;

constexpr double kGigabyte = 1e9;

struct Routed {
  explicit Routed(Fabric f) : fabric(std::move(f)), tables(make_engine("dmodc")->route(*rank(fabric))->tables) {
    const EndportId host = *fabric.endports().begin();
    link = injection_rate(fabric, fabric.at(host).lid);
  }

  [[nodiscard]] Lid lid(std::string_view host) const { return fabric.at(endport_named(fabric, host)).lid; }
  [[nodiscard]] Transfer transfer(std::string_view from, std::string_view to, double bytes = kGigabyte) const {
    return {lid(from), lid(to), bytes};
  }
  // Seconds that one gigabyte takes on a link of its own.
  [[nodiscard]] double alone() const { return kGigabyte / link; }
  [[nodiscard]] std::vector<Transfer> random_transfers(std::mt19937_64& random, std::size_t count) const {
    std::vector<Transfer> transfers;
    while (transfers.size() < count) {
      const auto any = [&] { return fabric.at(id_at<EndportId>(random() % fabric.num_endports())).lid; };
      const Transfer transfer{any(), any(), kGigabyte};
      if (transfer.from != transfer.to) transfers.push_back(transfer);
    }
    return transfers;
  }

  Fabric fabric;
  ForwardingTables tables;
  double link = 0;
};

// Two hosts behind one uplink, one behind another.
Routed two_uplinks() { return Routed(draw("A:3 B:3 A-S B-S")); }

TEST(FlowSimulation, TwoFlowsShareALinkEqually) {
  const Routed r = two_uplinks();
  const std::vector<std::vector<Transfer>> phases{{r.transfer("h0", "h3"), r.transfer("h1", "h4")}};
  EXPECT_NEAR(simulate_phases(r.fabric, r.tables, phases).seconds[0], 2 * r.alone(), 1e-6);
}

TEST(FlowSimulation, TheReceiversLinkIsSharedAsWell) {
  const Routed r = two_uplinks();
  const std::vector<std::vector<Transfer>> phases{{r.transfer("h0", "h2"), r.transfer("h1", "h2")}};
  EXPECT_NEAR(simulate_phases(r.fabric, r.tables, phases).seconds[0], 2 * r.alone(), 1e-6);
}

TEST(FlowSimulation, BothDirectionsOfALinkAreFree) {
  const Routed r = two_uplinks();
  const std::vector<std::vector<Transfer>> phases{{r.transfer("h0", "h3"), r.transfer("h3", "h0")}};
  EXPECT_NEAR(simulate_phases(r.fabric, r.tables, phases).seconds[0], r.alone(), 1e-6);
}

// h1's gigabyte is gone after 2 units of time in which h0 moved as much; h0's second gigabyte has the link alone.
TEST(FlowSimulation, AFlowSpeedsUpWhenAnotherEnds) {
  const Routed r = two_uplinks();
  const std::vector<std::vector<Transfer>> phases{{r.transfer("h0", "h3", 2 * kGigabyte), r.transfer("h1", "h4")}};
  EXPECT_NEAR(simulate_phases(r.fabric, r.tables, phases).seconds[0], 3 * r.alone(), 1e-6);
}

TEST(FlowSimulation, PhasesWaitForOneAnother) {
  const Routed r = two_uplinks();
  const std::vector<std::vector<Transfer>> phases{
      {r.transfer("h0", "h3"), r.transfer("h1", "h4")}, {}, {r.transfer("h0", "h4")}};
  const SimulatedTimes times = simulate_phases(r.fabric, r.tables, phases);
  EXPECT_THAT(times.seconds, testing::ElementsAre(DoubleNear(2 * r.alone(), 1e-6), 0, DoubleNear(r.alone(), 1e-6)));
}

// h0 sends within its leaf, so its second transfer meets h1's halfway.
TEST(FlowSimulation, StreamsDoNot) {
  const Routed r = two_uplinks();
  const std::vector<Transfer> transfers{r.transfer("h0", "h2"), r.transfer("h1", "h4", 2 * kGigabyte),
                                        r.transfer("h0", "h3")};
  const SimulatedTimes times = simulate_streams(r.fabric, r.tables, transfers);
  EXPECT_THAT(times.seconds, testing::ElementsAre(DoubleNear(r.alone(), 1e-6), DoubleNear(3 * r.alone(), 1e-6),
                                                  DoubleNear(3 * r.alone(), 1e-6)));
}

TEST(FlowSimulation, NamesWhatTheTablesDoNotDeliver) {
  Routed r = two_uplinks();
  r.tables.set(switch_named(r.fabric, "A"), r.lid("h3"), kNoPort);
  const std::vector<Transfer> transfers{r.transfer("h0", "h3"), r.transfer("h1", "h4")};
  EXPECT_THAT(simulate_streams(r.fabric, r.tables, transfers).left_out, testing::ElementsAre(0U));
  const std::vector<std::vector<Transfer>> phases{{transfers[1]}, {}, {transfers[1], transfers[0]}, {transfers[0]}};
  EXPECT_THAT(simulate_phases(r.fabric, r.tables, phases).left_out, testing::ElementsAre(2U, 3U));
  EXPECT_NEAR(simulate_streams(r.fabric, r.tables, transfers).seconds[1], r.alone(), 1e-6);
  EXPECT_EQ(fair_rates(r.fabric, r.tables, transfers).bytes_per_second[0], 0);
}

TEST(FlowSimulation, ASwitchSendsAndReceivesAtTheDefaultRate) {
  const Routed r = two_uplinks();
  const Lid a = r.fabric.at(switch_named(r.fabric, "A")).lid;
  const SimulationOptions slow{.default_mbps = 8'000};
  const FairRates rates =
      fair_rates(r.fabric, r.tables, std::vector<Transfer>{{a, r.lid("h3")}, {r.lid("h4"), a}}, slow);
  EXPECT_THAT(rates.bytes_per_second, Each(DoubleNear(1e9, 10)));
}

// Progressive filling: all rates rise together until a channel is full; its flows stay, the others go on.
std::vector<double> slow_fair_rates(const Routed& r, const std::vector<Transfer>& transfers) {
  std::vector<std::set<std::size_t>> paths;
  std::map<std::size_t, double> left;
  for (const Transfer& t : transfers) {
    const Endport& from = r.fabric.at(EndportId{r.fabric.owner(t.from).id});
    const Walk path = walk(r.fabric, r.tables, from.leaf, t.to);
    std::set<std::size_t> channels{r.fabric.num_channels() + index(t.from),
                                   index(r.fabric.channel(path.last, r.tables.at(path.last, t.to)))};
    for (const ChannelId c : path.channels) channels.insert(index(c));
    for (const std::size_t c : channels) left[c] = r.link;
    paths.push_back(channels);
  }
  std::vector<double> rates(transfers.size());
  std::set<std::size_t> rising;
  for (std::size_t i = 0; i < transfers.size(); ++i) rising.insert(i);
  while (!rising.empty()) {
    std::map<std::size_t, int> users;
    for (const std::size_t i : rising)
      for (const std::size_t c : paths[i]) ++users[c];
    double step = r.link;
    for (const auto& [c, count] : users) step = std::min(step, left[c] / count);
    for (const auto& [c, count] : users) left[c] -= step * count;
    std::set<std::size_t> still;
    for (const std::size_t i : rising) {
      rates[i] += step;
      if (std::all_of(paths[i].begin(), paths[i].end(), [&](std::size_t c) { return left[c] > 1e-6 * r.link; }))
        still.insert(i);
    }
    rising = still;
  }
  return rates;
}

TEST(FlowSimulation, RatesAreMaxMinFair) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 10; ++round) {
    const Routed r(test::pgft("3;3,2,3;1,2,2;1,1,1"));
    const std::vector<Transfer> transfers = r.random_transfers(random, 1 + random() % 60);
    const std::vector<double> slow = slow_fair_rates(r, transfers);
    const std::vector<double> rates = fair_rates(r.fabric, r.tables, transfers).bytes_per_second;
    for (std::size_t i = 0; i < transfers.size(); ++i) EXPECT_NEAR(rates[i], slow[i], 1e-4 * r.link) << i;
  }
}

// If each moves what its fair rate moves in a second, none ends earlier and changes the others' rates.
TEST(FlowSimulation, AgreesWithTheRatesOfFullLoad) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 10; ++round) {
    const Routed r(test::pgft("3;3,2,3;1,2,2;1,1,1"));
    std::vector<Transfer> transfers = r.random_transfers(random, 60);
    const std::vector<double> rates = fair_rates(r.fabric, r.tables, transfers).bytes_per_second;
    for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].bytes = rates[i];
    const std::vector<std::vector<Transfer>> phases{transfers};
    EXPECT_NEAR(simulate_phases(r.fabric, r.tables, phases).seconds[0], 1, 1e-6);
  }
}

// Real-life fat trees carry every shift without sharing (Zahavi 2010).
TEST(FlowSimulation, AShiftOnARealLifeFatTreeTakesAsLongAsOneFlow) {
  const Routed r(test::pgft("2;4,8;1,4;1,1"));
  std::vector<std::vector<Transfer>> phases;
  for (std::size_t k = 1; k < 32; ++k) {
    phases.emplace_back();
    for (std::size_t i = 0; i < 32; ++i)
      phases.back().push_back(
          {r.fabric.at(id_at<EndportId>(i)).lid, r.fabric.at(id_at<EndportId>((i + k) % 32)).lid, kGigabyte});
  }
  EXPECT_THAT(simulate_phases(r.fabric, r.tables, phases).seconds, Each(DoubleNear(r.alone(), 1e-6)));
}

}  // namespace
}  // namespace espalier::test
