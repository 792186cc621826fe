// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/flow_risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/hotspot.h"
#include "core/analysis/routes/walk.h"
#include "tests/analysis/fill_tables.h"
#include "tests/analysis/random_fabric.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using testing::ElementsAre;

// The same by walk() and maps, in shares.
FlowRisk slow_flow_risk(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts,
                        const LidUse& use, const std::vector<Flow>& flows) {
  std::uint32_t lanes = 1;
  for (const EndportId e : hosts) lanes = std::max(lanes, 1U << fabric.at(e).lmc);
  const bool evenly = use.kind == LidUse::Kind::kEvenly;
  std::map<ChannelId, std::map<std::uint32_t, std::uint32_t>> out;
  std::map<ChannelId, std::map<std::uint32_t, std::uint32_t>> in;
  std::map<ChannelId, std::uint64_t> shares;
  std::map<ChannelId, double> weight;
  FlowRisk risk;
  for (const Flow& flow : flows) {
    if (flow.source == flow.destination || flow.weight == 0) continue;
    ++risk.num_flows;
    const Endport& to = fabric.at(hosts[flow.destination]);
    const SwitchId from = fabric.at(hosts[flow.source]).leaf;
    std::map<ChannelId, std::uint32_t> part;
    for (std::uint32_t lane = 0; lane < (evenly ? lanes : 1U); ++lane) {
      const std::uint32_t offset = evenly                              ? lane
                                   : use.kind == LidUse::Kind::kOffset ? use.offset
                                                                       : use.table->at(flow.source, flow.destination);
      Walk path;
      if (from != kNoSwitch) path = walk(fabric, tables, from, lid_at_offset(to.lid, offset % (1U << to.lmc)));
      if (path.outcome != Step::Kind::kDelivered) {
        ++risk.unrouted;
        continue;
      }
      for (const ChannelId c : path.channels) ++part[c];
    }
    for (const auto& [c, count] : part) {
      out[c][flow.source] = std::max(out[c][flow.source], count);
      in[c][flow.destination] = std::max(in[c][flow.destination], count);
      risk.xi_switches = std::max(risk.xi_switches, shares[c] += count);
      risk.weight = std::max(risk.weight, weight[c] += flow.weight * count / (evenly ? lanes : 1U));
    }
  }
  for (const auto& [c, hosts_out] : out) {
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    for (const auto& [host, peak] : hosts_out) src += peak;
    for (const auto& [host, peak] : in[c]) dst += peak;
    risk.mu = std::max(risk.mu, std::min(src, dst));
  }
  return risk;
}

LidUse random_use(Random& random, std::size_t num_hosts) {
  LidUse use{.kind = static_cast<LidUse::Kind>(below(random, 3)),
             .offset = static_cast<std::uint8_t>(below(random, 5))};
  if (use.kind == LidUse::Kind::kEvenly) use.offset = 0;  // all of them, which is what the slow count knows
  if (use.kind != LidUse::Kind::kTable) return use;
  use.table = OffsetTable(num_hosts);
  for (std::size_t a = 0; a < num_hosts; ++a)
    for (std::size_t b = 0; b < num_hosts; ++b) use.table->set(a, b, static_cast<std::uint8_t>(below(random, 5)));
  return use;
}

std::vector<Flow> all_pairs(std::size_t num_hosts) {
  std::vector<Flow> flows;
  for (std::uint32_t a = 0; a < num_hosts; ++a)
    for (std::uint32_t b = 0; b < num_hosts; ++b) flows.push_back({a, b});
  return flows;
}

// Routes of an odd fabric with several LIDs and broken tables.
struct OddRoutes {
  explicit OddRoutes(Random& random)
      : fabric(random_fabric(random)),
        tables(random_tables(fabric, random)),
        hosts(all_endports(fabric)),
        n(static_cast<std::uint32_t>(hosts.size())),
        use(random_use(random, n)),
        routes(fabric, tables, hosts, use) {}

  [[nodiscard]] FlowRisk slow(const std::vector<Flow>& flows) const {
    return slow_flow_risk(fabric, tables, hosts, use, flows);
  }
  // One from each host.
  template <class Destination>
  [[nodiscard]] std::vector<Flow> flows_to(Destination destination) const {
    std::vector<Flow> flows;
    for (std::uint32_t a = 0; a < n; ++a) flows.push_back({a, destination(a)});
    return flows;
  }

  Fabric fabric;
  ForwardingTables tables;
  std::vector<EndportId> hosts;
  std::uint32_t n;
  LidUse use;
  HostRoutes routes;
};

void expect_flows(const OddRoutes& odd, Random& random) {
  std::vector<Flow> some;
  for (std::size_t i = odd.n == 0 ? 0 : below(random, 20); i > 0; --i)
    some.push_back({static_cast<std::uint32_t>(below(random, odd.n)), static_cast<std::uint32_t>(below(random, odd.n)),
                    static_cast<double>(below(random, 8))});
  for (const std::vector<Flow>& flows : {some, all_pairs(odd.n)}) {
    const FlowRisk fast = flow_risk(odd.routes, flows);
    const FlowRisk expected = odd.slow(flows);
    EXPECT_EQ(fast.num_flows, expected.num_flows);
    EXPECT_EQ(fast.mu, expected.mu);
    EXPECT_EQ(fast.xi_switches, expected.xi_switches);
    EXPECT_DOUBLE_EQ(fast.weight, expected.weight);
    EXPECT_EQ(fast.unrouted, expected.unrouted);
  }
}

void expect_permutations(const OddRoutes& odd, std::uint64_t seed) {
  const RiskDistribution drawn = random_risk(odd.routes, 2, seed);
  std::uint64_t lost = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::vector<std::uint32_t> destination = random_permutation(odd.n, seed, i);
    const FlowRisk slow = odd.slow(odd.flows_to([&](std::uint32_t a) { return destination[a]; }));
    EXPECT_EQ(drawn.mu[i], slow.mu);
    lost += slow.unrouted;
  }
  EXPECT_EQ(drawn.unrouted, lost);
  const RiskDistribution shifts = shift_risk(odd.routes);
  for (std::uint32_t k = 1; k < odd.n; ++k)
    EXPECT_EQ(shifts.mu[k - 1], odd.slow(odd.flows_to([&](std::uint32_t a) { return (a + k) % odd.n; })).mu)
        << "shift by " << k;
  EXPECT_EQ(shifts.unrouted, odd.slow(all_pairs(odd.n)).unrouted);
}

void expect_all_to_all_and_hotspots(const OddRoutes& odd) {
  const AllToAllRisk all = all_to_all_risk(odd.routes);
  const FlowRisk slow = odd.slow(all_pairs(odd.n));
  EXPECT_EQ(all.mu, slow.mu);
  EXPECT_EQ(all.xi_switches, slow.xi_switches);
  EXPECT_EQ(all.unrouted, slow.unrouted);

  const RiskDistribution scatter = scatter_load(odd.routes);
  const RiskDistribution gather = gather_load(odd.routes);
  const auto delivered = [&](const FlowRisk& risk) {
    return risk.num_flows * odd.routes.shares_per_flow() - risk.unrouted;
  };
  std::uint64_t xi = all.xi_switches;
  for (std::uint32_t root = 0; root < odd.n; ++root) {
    const std::vector<Flow> to_root = odd.flows_to([&](std::uint32_t) { return root; });
    const FlowRisk sent = odd.slow(reversed(to_root)), received = odd.slow(to_root);
    EXPECT_EQ(scatter.mu[root], sent.xi_switches);
    EXPECT_EQ(gather.mu[root], received.xi_switches);
    xi = std::max({xi, delivered(sent), delivered(received)});
  }
  EXPECT_EQ(all.xi, xi);
  EXPECT_EQ(scatter.unrouted, all.unrouted);
  EXPECT_EQ(gather.unrouted, all.unrouted);
}

TEST(FlowRisk, AgreesWithCountingFlowByFlowWhateverLidsAreUsed) {
  for (std::uint64_t seed = 0; seed < 1500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const OddRoutes odd(random);
    expect_flows(odd, random);
    expect_permutations(odd, seed);
    expect_all_to_all_and_hotspots(odd);
  }
}

TEST(FlowRisk, OfTypePhasesMeetsEachPairOnceAndSharesReceiversEvenly) {
  const std::vector<std::uint32_t> a{0, 1, 2, 4, 5, 6, 7};
  const std::vector<std::uint32_t> b{3, 8, 9};
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> met;
  for (std::size_t k = 0; k < b.size(); ++k) {
    std::map<std::uint32_t, int> received;
    for (const Flow& flow : type_phase(a, b, k)) {
      ++met[{flow.source, flow.destination}];
      ++received[flow.destination];
    }
    for (const auto& of : received) EXPECT_THAT(of.second, testing::AnyOf(2, 3));
  }
  EXPECT_EQ(met.size(), a.size() * b.size());
  EXPECT_THAT(type_phase(b, a, 1), ElementsAre(Flow{3, 1}, Flow{8, 4}, Flow{9, 6}));
  EXPECT_THAT(reversed(type_phase(b, a, 1)), ElementsAre(Flow{1, 3}, Flow{4, 8}, Flow{6, 9}));
}

// Thesis 3.2 and 3.3: XGFT(3;4,4,6;1,2,2), the last host of each leaf is storage; compute nodes send to the storage
// node of the fourth next leaf. mu(C2IO(Dmodk)) = 4 (section 3.3.1), and 4 for the phase of any other distance that
// leaves the group.
TEST(FlowRisk, OfDmodkWhenComputeNodesSendToStorageIsThatOfTheCaseStudyOfTheThesis) {
  const char* const spec = "3;4,4,6;1,2,2;1,1,1";
  const Fabric fabric = pgft(spec);
  const HostRoutes routes(fabric, route_dmodk(fabric, PgftSpec::parse(spec).value()), all_endports(fabric));
  ASSERT_EQ(routes.num_hosts(), 96U);
  std::vector<std::uint32_t> compute;
  std::vector<std::uint32_t> storage;
  for (std::uint32_t n = 0; n < 96; ++n) (n % 4 == 3 ? storage : compute).push_back(n);

  const std::vector<Flow> c2io = type_phase(compute, storage, 4);
  for (const Flow& flow : c2io) EXPECT_EQ(flow.destination, (flow.source / 4 + 4) % 24 * 4 + 3);
  EXPECT_EQ(flow_risk(routes, c2io).mu, 4U);
  EXPECT_EQ(flow_risk(routes, c2io).xi_switches, 12U);
  const RiskDistribution phases =
      phase_risk(routes, storage.size(), 0, nullptr, [&](std::size_t k) { return type_phase(compute, storage, k); });
  EXPECT_EQ(phases.max(), 4.0);
  EXPECT_EQ(phases.mu[0], 0U);  // each to the storage node of its own leaf
}

TEST(FlowRisk, OfATwoWayRingHasBothNeighborsOfEachHost) {
  const std::vector<std::uint32_t> order{2, 0, 1};
  EXPECT_THAT(two_way_ring(order), ElementsAre(Flow{2, 0}, Flow{0, 2}, Flow{0, 1}, Flow{1, 0}, Flow{1, 2}, Flow{2, 1}));
  EXPECT_THAT(two_way_ring(std::vector<std::uint32_t>{1, 0}), ElementsAre(Flow{1, 0}, Flow{0, 1}));
}

TEST(FlowRisk, IsThatOfFlowsThatAreSent) {
  const Fabric fabric = draw("L0:2 L1:2 ; L0-S0 L1-S0");
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  const FlowRisk sent = flow_risk(routes, std::vector<Flow>{{0, 2, 1}});
  const FlowRisk all = flow_risk(routes, std::vector<Flow>{{0, 2, 1}, {1, 3, 0}, {1, 1, 5}});
  EXPECT_EQ(all.num_flows, sent.num_flows);
  EXPECT_EQ(all.mu, sent.mu);
  EXPECT_EQ(all.xi_switches, 1U);
}

TEST(FlowRisk, OfScatterAndGatherIsTheLoadOfTheFullestChannel) {
  const Fabric fabric = draw("L0:2 L1:3 L2:1 ; L0-S0 L1-S0 L2-S0");
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  EXPECT_THAT(scatter_load(routes).mu, ElementsAre(4, 4, 3, 3, 3, 5));
  EXPECT_THAT(gather_load(routes).mu, ElementsAre(4, 4, 3, 3, 3, 5));
}

}  // namespace
}  // namespace espalier::test
