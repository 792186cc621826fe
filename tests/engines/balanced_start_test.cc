// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What balanced starts from: ingress channels by hand, shares where one side is weak, and hosts assigned by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/analysis/soundness/verify.h"
#include "core/engines/balanced/deficit_round_robin.h"
#include "core/engines/balanced/multiplicative_weights.h"
#include "core/engines/detours/complete_tables.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/directors.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::Steps;
using test::switch_named;

// All that balanced does before it searches.
struct Start {
  explicit Start(Fabric fabric)
      : steps(std::move(fabric)),
        channels(steps.tree),
        columns(steps.problem, channels, steps.tables),
        sources(host_runs(steps.fabric, steps.order)),
        ingress(find_ingress(steps.problem, channels, sources, sources)) {}

  void balance() { balance_shares(ingress, steps.fabric.num_switches(), channels.size()); }
  void assign() { assign_hosts(steps.problem, channels, sources, ingress, columns); }
  [[nodiscard]] const Ingress& to(const char* leaf) const {
    for (const Ingress& in : ingress)
      if (in.destination.at == switch_named(steps.fabric, leaf)) return in;
    throw std::invalid_argument(leaf);
  }

  Steps steps;
  TreeChannels channels;
  HostColumns columns;
  std::vector<HostRun> sources;
  std::vector<Ingress> ingress;
};

Fabric damaged(std::string_view spec, std::size_t links, std::size_t switches, std::uint64_t seed) {
  return *degrade(test::pgft(spec), {.links = links, .switches = switches, .seed = seed});
}

// L1 is in the pod of L0, and so a pod of its own; L2 and L3 come from the other one.
TEST(Ingress, IsByTheChannelsToAncestors) {
  const Start start(test::three_level_tree());
  const Ingress& in = start.to("L0");
  ASSERT_EQ(in.pods.size(), 2U);
  std::set<std::pair<SwitchId, SwitchId>> found;
  for (const IngressChannel& c : in.channels) found.insert({c.from, c.to});
  const auto channel = [&](const char* from, const char* to) {
    return std::pair(switch_named(start.steps.fabric, from), switch_named(start.steps.fabric, to));
  };
  EXPECT_THAT(found, testing::UnorderedElementsAre(channel("L1", "M0"), channel("L1", "M1"), channel("M2", "T0"),
                                                   channel("M2", "T1"), channel("M3", "T2"), channel("M3", "T3")));
  EXPECT_EQ(in.pods[0].hosts + in.pods[1].hosts, 6U);
  EXPECT_EQ(in.down.size(), 6U) << "one channel down from each spine and each of the two middles";
  for (const Ingress::Pod& pod : in.pods) {
    float sum = 0;
    for (const IngressChannel& c : in.channels_of(pod)) sum += c.share;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

// Who sends to C has to go by S0. So S0 gets less of what A sends to B, although both of A's links are whole.
TEST(MultiplicativeWeights, LeaveRoomForThoseWhoHaveNoChoice) {
  Start start(test::draw("A:4 B:4 C:4 S0 S1 ; A-S0 A-S1 B-S0 B-S1 C-S0"));
  start.balance();
  const SwitchId s0 = switch_named(start.steps.fabric, "S0");
  for (const IngressChannel& c : start.to("B").channels)
    if (c.from == switch_named(start.steps.fabric, "A")) {
      if (c.to == s0)
        EXPECT_LT(c.share, 0.4F);
      else
        EXPECT_GT(c.share, 0.6F);
    }
}

TEST(MultiplicativeWeights, StayEvenInAWholeTree) {
  Start start(test::pgft("3;4,3,5;1,4,2;1,1,1"));
  start.balance();
  for (const Ingress& in : start.ingress)
    for (const Ingress::Pod& pod : in.pods)
      for (const IngressChannel& c : in.channels_of(pod))
        EXPECT_NEAR(c.share, 1.0 / static_cast<double>(in.channels_of(pod).size()), 1e-5);
}

// Along the order of destinations, no channel is ever far from its share: a preferred ancestor is worth a lead of four.
TEST(DeficitRoundRobin, KeepsToTheShares) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Start start(damaged("3;6,4,6;1,6,3;1,1,1", 0, 6, seed));
    start.balance();
    start.assign();
    IdVector<TreeChannelId, float> owed(start.channels.size());
    for (const Ingress& in : start.ingress)
      for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host)
        for (const Ingress::Pod& pod : in.pods) {
          // Where no link of a leaf is missing, all sources of a pod take the same ingress channel.
          SwitchId s = start.sources[in.sources[pod.first_source]].at;
          TreeChannelId last{};
          const auto is_ingress = [&](TreeChannelId channel) {
            for (const IngressChannel& c : in.channels_of(pod))
              if (c.channel == channel) return true;
            return false;
          };
          do {
            last = id_at<TreeChannelId>(index(start.channels.first(s)) + start.columns.column(host)[index(s)]);
            s = start.channels.remote(last);
          } while (!is_ingress(last));
          for (const IngressChannel& c : in.channels_of(pod)) owed[c.channel] += c.share;
          owed[last] -= 1;
          EXPECT_LT(std::abs(owed[last]), 5.0F) << "seed " << seed << ", host " << host;
        }
  }
}

// Pods that do not reach a host's preferred ancestor share others, instead of each taking its own: 3.0 tops in the
// mean. It is 3.8 without an affinity for shared ones, and 5.2 where the preferred one is worth no more than a lead of
// 1/2.
TEST(DeficitRoundRobin, BringsPodsTogether) {
  std::size_t hosts = 0;
  std::size_t places = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Start start(damaged("3;4,4,12;1,8,3;1,1,1", 0, 40, seed));
    start.balance();
    start.assign();
    for (const Ingress& in : start.ingress)
      for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host) {
        std::set<SwitchId> entered;
        for (const Ingress::Pod& pod : in.pods) {
          SwitchId s = start.sources[in.sources[pod.first_source]].at;
          while (start.steps.costs.down_cost(s, in.destination.at) == kUnreachable)
            s = start.channels.remote(start.channels.at(s, start.columns.column(host)[index(s)]));
          if (start.steps.tree.up_groups(s).empty()) entered.insert(s);
        }
        ++hosts;
        places += entered.size();
      }
  }
  EXPECT_LT(static_cast<double>(places) / static_cast<double>(hosts), 3.3);
}

TEST(DeficitRoundRobin, DeliversEverywhere) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Start start(damaged("3;4,4,6;1,4,3;1,1,1", 3 * seed, seed % 4, seed));
    start.balance();
    start.assign();
    start.columns.write(start.steps.problem, start.channels, start.steps.tables);
    ASSERT_TRUE(complete_tables(start.steps.problem, {}, start.steps.tables));
    EXPECT_TRUE(verify(start.steps.fabric, start.steps.tables).ok()) << "seed " << seed;
  }
}

// L0 has lost its link to M0, L1 is whole: their routes to a host behind the spines of M0 differ.
TEST(DeficitRoundRobin, ServesALeafThatDoesNotReachTheIngressChannel) {
  Start start(
      test::draw("L0:2 L1:2 K0:4 M0 M1 N0 N1 T0 T1 ; L0-M1 L1-M0 L1-M1 ; K0-N0 K0-N1 ; M0-T0 M1-T1 N0-T0 N1-T1"));
  start.assign();
  const Ingress& in = start.to("K0");
  std::set<std::uint8_t> of_l1;
  for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host) {
    EXPECT_EQ(start.columns.column(host)[index(switch_named(start.steps.fabric, "L0"))], 0);
    of_l1.insert(start.columns.column(host)[index(switch_named(start.steps.fabric, "L1"))]);
  }
  EXPECT_EQ(of_l1.size(), 2U) << "uses both its channels";
}

// A director's spine has three paths down to a leaf, by three line cards. Nine hosts: three by each.
TEST(DeficitRoundRobin, BalancesThePathsDown) {
  const DirectorsSpec spec{.leaves = 18, .hosts = 9, .uplinks = 3, .directors = 1, .radix = 12};
  Start start(test::with_lmc(*generate_directors(spec), 0));
  start.balance();
  start.assign();
  const HostColumns& columns = start.columns;
  const Ingress& in = start.ingress.front();
  const HostRun& far = start.sources.back();
  std::vector<int> arrivals(start.channels.size());
  for (std::uint32_t host = in.destination.first; host < in.destination.last; ++host) {
    TreeChannelId last{};
    for (SwitchId s = far.at; s != in.destination.at; s = start.channels.remote(last))
      last = id_at<TreeChannelId>(index(start.channels.first(s)) + columns.column(host)[index(s)]);
    ++arrivals[index(last)];
  }
  EXPECT_EQ(std::count(arrivals.begin(), arrivals.end(), 3), 3);
}

}  // namespace
}  // namespace espalier
