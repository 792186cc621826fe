// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Balanced for what jobs really do: orders that do not follow the leaves, types of hosts, all LIDs of a host.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/routes/disjoint_paths.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/balanced/balanced.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/engines.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/gxmodk.h"
#include "tests/engines/steps.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::at_random;
using test::damaged;
using test::Steps;

// The hosts of the leaves in turns: first one of each leaf, then the next.
std::vector<EndportId> in_turns(const Steps& steps) {
  std::vector<EndportId> hosts;
  std::size_t left = steps.order.hosts.size();
  for (std::size_t i = 0; left > 0; ++i)
    for (const SwitchId s : steps.fabric.switches())
      if (i < steps.tree.hosts(s).size()) {
        hosts.push_back(steps.tree.hosts(s)[i]);
        --left;
      }
  return hosts;
}

double worst_shift(const Steps& steps, const ForwardingTables& tables, const std::vector<EndportId>& hosts,
                   LidUse use = {}) {
  return shift_risk(HostRoutes(steps.fabric, tables, hosts, use)).max();
}

// Who sends to a host in a phase, asked one by one.
void expect_plain_count(const Phases& phases, const NodeOrder& order,
                        const std::vector<std::vector<EndportId>>& orders) {
  SenderRuns runs(phases);
  std::map<EndportId, std::uint32_t> number;
  for (std::uint32_t i = 0; i < order.hosts.size(); ++i) number[order.hosts[i]] = i;
  for (std::uint32_t host = 0; host < order.hosts.size(); ++host) {
    runs.set_host(host);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;  // phase, source
    for (const PhaseRun& run : runs.all())
      for (std::uint32_t y = run.begin; y < run.end; ++y)
        EXPECT_TRUE(found.insert({y, run.source}).second) << "one sender in a phase";
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    std::uint32_t first = 0;
    for (const std::vector<EndportId>& hosts : orders) {
      const auto n = static_cast<std::uint32_t>(hosts.size());
      for (std::uint32_t place = 0; place < n; ++place)
        if (hosts[place] == order.hosts[host])
          for (std::uint32_t v = 0; v < n; ++v)
            expected.insert({first + v, phases.source_of(number.at(hosts[(place + v) % n]))});
      first += n;
    }
    EXPECT_EQ(found, expected) << "host " << host;
  }
}

TEST(Phases, AreTheShiftsOfTheGivenOrder) {
  const Steps steps(damaged("3;3,2,4;1,3,2;1,1,1", 3, 1));
  NodeOrder order = steps.order;
  for (const std::vector<EndportId>& jobs : {steps.order.hosts, in_turns(steps), at_random(steps, 5)}) {
    order.jobs = jobs;
    const Phases phases(steps.fabric, order, {}, jobs.size());
    EXPECT_TRUE(phases.are_all());
    EXPECT_EQ(phases.size(), jobs.size());
    expect_plain_count(phases, order, {jobs});
  }
}

TEST(Phases, AreThoseOfEachPart) {
  const Steps steps(damaged("2;4,3;1,4;1,1", 0, 1));
  const auto& all = steps.order.hosts;
  const std::vector<HostPart> parts{{"a", 1, {all[5], all[0], all[7]}}, {"b", 1, {all[1], all[11], all[5], all[2]}}};
  const Phases phases(steps.fabric, steps.order, parts, 1000);
  EXPECT_EQ(phases.size(), 7U);
  expect_plain_count(phases, steps.order, {parts[0].hosts, parts[1].hosts});
}

TEST(Phases, AreSharedOutByWeight) {
  const Steps steps(damaged("2;8,6;1,8;1,1", 0, 1));
  const std::vector<HostPart> parts{{"a", 3, steps.order.hosts}, {"b", 1, in_turns(steps)}};
  const Phases phases(steps.fabric, steps.order, parts, 16);
  EXPECT_EQ(phases.size(), 16U);
  EXPECT_FALSE(phases.are_all());
}

// The example of shift_loads.h: three leaves with two hosts each. Host 3 is on leaf 1.
TEST(Phases, GiveEachSourceARunOfShifts) {
  const Steps steps(test::two_level_tree());
  const Phases phases(steps.fabric, steps.order, {}, 6);
  SenderRuns runs(phases);
  runs.set_host(3);
  ASSERT_EQ(phases.sources().size(), 3U);
  ASSERT_EQ(runs.of(2).size(), 1U);
  EXPECT_EQ(std::pair(runs.of(2)[0].begin, runs.of(2)[0].end), std::pair(1U, 3U));
  ASSERT_EQ(runs.of(0).size(), 1U);
  EXPECT_EQ(std::pair(runs.of(0)[0].begin, runs.of(0)[0].end), std::pair(3U, 5U));
  ASSERT_EQ(runs.of(1).size(), 2U) << "goes round: hosts 2 and 3 itself";
}

TEST(ShiftLoads, CountAnyOrderAsTheAnalysisDoes) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Steps steps(damaged("3;3,3,4;1,3,2;1,1,1", 5, seed));
    NodeOrder order = steps.order;
    order.jobs = seed % 2 == 0 ? in_turns(steps) : at_random(steps, seed);
    const TreeChannels channels(steps.tree);
    const RoutingProblem problem(steps.tree, order);
    const HostColumns columns(problem, channels, steps.tables);
    const Phases phases(steps.fabric, order, {}, order.jobs.size());
    ShiftLoads loads(problem, channels, phases, 4);
    loads.count_all(columns);
    EXPECT_EQ(loads.summary().worst_shift, worst_shift(steps, steps.tables, order.jobs));
  }
}

TEST(Balanced, IsGoodInTheOrderThatItIsGiven) {
  std::size_t better = 0;
  for (const char* spec : {"2;6,8;1,6;1,1", "3;4,3,5;1,4,2;1,1,1", "2;8,6;1,4;1,2"})
    for (std::uint64_t seed = 1001; seed < 1005; ++seed) {
      const Steps steps(damaged(spec, seed % 4, seed));
      for (const std::vector<EndportId>& jobs : {in_turns(steps), at_random(steps, seed)}) {
        const RoutingProblem problem(steps.tree, jobs);
        const ForwardingTables plain = closed_form(problem);
        const ForwardingTables own = balanced(problem, {});
        EXPECT_LE(worst_shift(steps, own, jobs), worst_shift(steps, plain, jobs)) << spec << ", seed " << seed;
        better += worst_shift(steps, own, jobs) < worst_shift(steps, plain, jobs) ? 1 : 0;
      }
    }
  EXPECT_GT(better, 12U) << "of 24";
}

TEST(Balanced, SpreadsTrafficOverAllOffsets) {
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(damaged("3;6,4,8;1,6,3;1,1,1", 12, seed, 2));
    const LidUse all{.kind = LidUse::Kind::kEvenly};
    const ForwardingTables own = balanced(steps.problem, {});
    const ForwardingTables by_turns = balanced(steps.problem, {.objective = *parse_objective("sp,rp")});
    for (const EndportId e : steps.order.hosts)
      for (const SwitchId s : steps.fabric.switches())
        EXPECT_EQ(own.at(s, steps.fabric.at(e).lid), by_turns.at(s, steps.fabric.at(e).lid)) << "offset 0";
    EXPECT_LT(worst_shift(steps, own, steps.order.hosts, all), worst_shift(steps, by_turns, steps.order.hosts, all));
    EXPECT_GE(disjoint_paths(steps.fabric, own, steps.order.hosts).mean(), 3.5);
    EngineOptions options;
    const auto routing = make_engine("balanced", options)->route(steps.tree);
    EXPECT_TRUE(verify(steps.fabric, routing->tables).ok());
  }
}

// Tapered, with parallel links, and without a switch.
TEST(Balanced, SpreadsOverAllOffsetsNoWorseThanItUsesTheFirst) {
  for (const std::string_view spec : {"3;8,4,6;1,4,4;1,2,1", "2;18,12;1,9;1,2", "3;6,4,9;1,6,2;1,1,3"})
    for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
      const Steps steps(damaged(spec, 12, seed, 1));
      const LidUse all{.kind = LidUse::Kind::kEvenly};
      const ForwardingTables own = balanced(steps.problem, {});
      const ForwardingTables rotated = closed_form(steps.problem);
      const double spread = worst_shift(steps, own, steps.order.hosts, all);
      EXPECT_LE(spread, worst_shift(steps, own, steps.order.hosts)) << spec << ", seed " << seed;
      EXPECT_LE(spread, worst_shift(steps, rotated, steps.order.hosts, all)) << spec << ", seed " << seed;
      EXPECT_GE(disjoint_paths(steps.fabric, own, steps.order.hosts).mean(),
                disjoint_paths(steps.fabric, rotated, steps.order.hosts).mean())
          << spec << ", seed " << seed;
    }
}

TEST(Balanced, SpreadsBetterWhereTheFirstOffsetNeedsNoSearch) {
  const LidUse all{.kind = LidUse::Kind::kEvenly};
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(damaged("2;18,12;1,9;1,2", 3, seed, 1));
    const ForwardingTables own = balanced(steps.problem, {});
    const ForwardingTables rotated = balanced(steps.problem, {.milliseconds = 0});
    for (const EndportId e : steps.order.hosts)
      for (const SwitchId s : steps.fabric.switches())
        ASSERT_EQ(own.at(s, steps.fabric.at(e).lid), rotated.at(s, steps.fabric.at(e).lid)) << "offset 0";
    const RiskDistribution now = shift_risk(HostRoutes(steps.fabric, own, steps.order.hosts, all));
    const RiskDistribution before = shift_risk(HostRoutes(steps.fabric, rotated, steps.order.hosts, all));
    EXPECT_LE(now.max(), before.max()) << "seed " << seed;
    EXPECT_LT(now.mean(), before.mean()) << "seed " << seed;
  }
}

// Three switches above each leaf, four LIDs: two of them share a switch, whichever two.
TEST(Balanced, MovesOffsetsThatShareASwitchInAnyCase) {
  const LidUse all{.kind = LidUse::Kind::kEvenly};
  for (std::uint64_t seed = 7001; seed < 7003; ++seed) {
    const Steps steps(damaged("3;6,6,6;1,3,3;1,2,1", 5, seed, 2));
    const ForwardingTables own = balanced(steps.problem, {});
    const auto mean_shift = [&](const LidUse& use) {
      return shift_risk(HostRoutes(steps.fabric, own, steps.order.hosts, use)).mean();
    };
    EXPECT_LT(mean_shift(all), 0.97 * mean_shift({})) << "seed " << seed;
  }
}

// A storage node on the last port of each leaf.
struct StorageOnLeaves {
  explicit StorageOnLeaves(const Steps& steps) {
    types.types = IdVector<NodeTypeId, NodeType>(2);
    types.of_endport = IdVector<EndportId, NodeTypeId>(steps.fabric.num_endports());
    for (const SwitchId s : steps.fabric.switches())
      if (!steps.tree.hosts(s).empty()) types.of_endport[steps.tree.hosts(s).back()] = NodeTypeId{1};
    for (std::uint32_t i = 0; i < steps.order.hosts.size(); ++i)
      (index(types.of_endport[steps.order.hosts[i]]) == 0 ? compute : storage).push_back(i);
  }
  // The most shares of flows on a channel in phases to storage, and from storage.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> worst_phases(const HostRoutes& routes) const {
    std::pair<std::uint32_t, std::uint32_t> worst{0, 0};
    for (std::size_t k = 0; k < storage.size(); ++k) {
      const std::vector<Flow> flows = type_phase(compute, storage, k);
      worst.first = std::max(worst.first, flow_risk(routes, flows).mu);
      worst.second = std::max(worst.second, flow_risk(routes, reversed(flows)).mu);
    }
    return worst;
  }

  NodeTypes types;
  std::vector<std::uint32_t> compute;
  std::vector<std::uint32_t> storage;
};

TEST(Balanced, KeepsPhasesBetweenTypes) {
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(damaged("3;6,4,8;1,6,2;1,1,1", 10, seed));
    const StorageOnLeaves hosts(steps);
    EngineOptions options;
    options.node_types = hosts.types;
    const ForwardingTables by_type = gxmodk(steps.problem, options);
    const ForwardingTables own = balanced(steps.problem, {.types = hosts.types});
    const auto of_type = hosts.worst_phases({steps.fabric, by_type, steps.order.hosts});
    const auto now = hosts.worst_phases({steps.fabric, own, steps.order.hosts});
    EXPECT_LE(now.first, of_type.first) << "seed " << seed;
    EXPECT_LE(now.second, of_type.second + 1) << "two storage nodes meet";
    EXPECT_LE(worst_shift(steps, own, steps.order.hosts), worst_shift(steps, by_type, steps.order.hosts));
    const auto mean_shift = [&](const ForwardingTables& tables) {
      return shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts)).mean();
    };
    EXPECT_LE(mean_shift(own), 1.1 * mean_shift(balanced(steps.problem, {}))) << "seed " << seed;
  }
}

TEST(Balanced, SpreadsOverAllOffsetsAndKeepsPhasesBetweenTypes) {
  const LidUse all{.kind = LidUse::Kind::kEvenly};
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(damaged("3;6,4,8;1,6,2;1,1,1", 10, seed, 1));
    const StorageOnLeaves hosts(steps);
    const ForwardingTables own = balanced(steps.problem, {.types = hosts.types});
    EXPECT_LE(worst_shift(steps, own, steps.order.hosts, all), worst_shift(steps, own, steps.order.hosts));
    const auto of_first = hosts.worst_phases({steps.fabric, own, steps.order.hosts});
    const auto of_all = hosts.worst_phases({steps.fabric, own, steps.order.hosts, all});
    EXPECT_LE(of_all.first, 2 * of_first.first) << "in halves of flows, seed " << seed;
    EXPECT_LE(of_all.second, 2 * of_first.second) << "seed " << seed;
  }
}

// A ring through some hosts in a random order, with weights 1, 2 and 4.
std::vector<KnownFlow> some_flows(const Steps& steps, std::uint64_t seed) {
  const std::vector<EndportId> hosts = at_random(steps, seed);
  std::vector<KnownFlow> flows;
  for (std::size_t i = 0; i + 1 < hosts.size(); i += 1 + i % 2)
    if (hosts[i] != hosts[i + 1]) flows.push_back({hosts[i], hosts[i + 1], static_cast<double>(1 << i % 3)});
  return flows;
}

// The most weight on a channel between switches, flow by flow.
double most_weight(const Steps& steps, const ForwardingTables& tables, const std::vector<KnownFlow>& flows) {
  std::vector<Flow> by_rank;
  const std::vector<EndportId>& hosts = steps.order.hosts;
  const auto rank_of = [&](EndportId e) {
    return static_cast<std::uint32_t>(std::find(hosts.begin(), hosts.end(), e) - hosts.begin());
  };
  for (const KnownFlow& flow : flows) by_rank.push_back({rank_of(flow.source), rank_of(flow.destination), flow.weight});
  return flow_risk(HostRoutes(steps.fabric, tables, hosts), by_rank).weight;
}

TEST(KnownFlows, LoadChannelsAsAWalkFlowByFlowSays) {
  for (std::uint64_t seed = 1001; seed < 1006; ++seed) {
    const Steps steps(damaged("3;4,3,5;1,4,2;1,1,1", 6, seed));
    const TreeChannels channels(steps.tree);
    const std::vector<KnownFlow> flows = some_flows(steps, seed);
    const HostColumns columns(steps.problem, channels, steps.tables);
    const Phases phases(steps.fabric, steps.order, {}, 7);
    ShiftLoads loads(steps.problem, channels, phases, 4, {}, flows);
    loads.count_all(columns);
    const double heaviest = 4;
    EXPECT_NEAR(loads.summary().known_flows * heaviest, most_weight(steps, steps.tables, flows), 1e-3);
    // Taken out and put in again, they are what they were.
    const LoadSummary before = loads.summary();
    SenderRuns runs(phases);
    for (const HostRun& to : loads.sources())
      for (std::uint32_t d = to.first; d < to.last; ++d) {
        runs.set_host(d);
        const ShiftLoads::Flows all{to.at, runs.all(), loads.known_flows().to(d)};
        loads.remove(all, columns.column(d));
        EXPECT_TRUE(d + 1 < steps.order.hosts.size() || loads.summary().known_flows <= before.known_flows);
        loads.add(all, columns.column(d));
      }
    EXPECT_EQ(loads.summary(), before);
  }
}

TEST(KnownFlows, GetChannelsOfTheirOwnWhereThereAreAny) {
  double own_sum = 0, unaware_sum = 0;
  for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
    const Steps steps(damaged("3;4,3,5;1,4,2;1,1,1", 3, seed));
    const std::vector<KnownFlow> flows = some_flows(steps, seed);
    const ForwardingTables unaware = balanced(steps.problem, {.milliseconds = 300});
    const ForwardingTables own = balanced(steps.problem, {.milliseconds = 300, .known_flows = flows});
    EXPECT_LE(most_weight(steps, own, flows), most_weight(steps, unaware, flows)) << "seed " << seed;
    own_sum += most_weight(steps, own, flows);
    unaware_sum += most_weight(steps, unaware, flows);
    EXPECT_EQ(
        balanced(steps.problem, {.milliseconds = 300, .objective = *parse_objective("default"), .known_flows = flows}),
        own);
    EXPECT_EQ(
        balanced(steps.problem,
                 {.milliseconds = 300, .objective = *parse_objective("sp,rp,offsets,phase"), .known_flows = flows}),
        unaware)
        << "flows that the objective leaves out change nothing";
  }
  EXPECT_LE(own_sum, 0.75 * unaware_sum);
}

TEST(KnownFlows, CountAgainstShiftsByTheirWeights) {
  const Steps steps(damaged("3;4,3,5;1,4,2;1,1,1", 0, 1));
  const std::vector<KnownFlow> flows = some_flows(steps, 1001);
  const auto by = [&](const char* words) {
    return balanced(steps.problem, {.objective = *parse_objective(words), .known_flows = flows});
  };
  const ForwardingTables for_shifts = by("sp=1000,rp=1000,matrix=0.001"), for_flows = by("sp,rp,matrix=1000");
  EXPECT_EQ(worst_shift(steps, for_shifts, steps.order.hosts),
            worst_shift(steps, balanced(steps.problem, {}), steps.order.hosts));
  EXPECT_LE(most_weight(steps, for_flows, flows), most_weight(steps, for_shifts, flows));
}

TEST(Objective, IsAListOfPatternsWithWeights) {
  EXPECT_EQ(*parse_objective("default"), Objective{});
  EXPECT_EQ(*parse_objective("sp=2,rp,phase"), (Objective{2, 1, true, false, 0}));
  EXPECT_EQ(*parse_objective("rp=0.5,a2a=1.5,offsets"), (Objective{0, 2, false, true, 0}));
  EXPECT_EQ(*parse_objective("sp,matrix=3"), (Objective{1, 0, false, false, 3}));
  for (const char* wrong : {"", "sp,sp", "sp=0", "sp=-1", "sp=x", "phase", "ring", "sp=", "sp,,rp"})
    EXPECT_FALSE(parse_objective(wrong)) << wrong;
}

TEST(Objective, OfRandomPermutationsAloneLeavesShiftsOut) {
  const Steps steps(damaged("3;4,3,5;1,4,2;1,1,1", 6, 1001));
  const auto random = [&](const ForwardingTables& tables) {
    return random_risk(HostRoutes(steps.fabric, tables, steps.order.hosts), 200, 1).mean();
  };
  const ForwardingTables own = balanced(steps.problem, {.objective = *parse_objective("rp")});
  EXPECT_LE(random(own), random(steps.tables) * 1.02);
}

}  // namespace
}  // namespace espalier
