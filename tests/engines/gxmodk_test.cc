// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/gxmodk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <map>
#include <random>

#include "core/analysis/verify.h"
#include "core/engines/closed_form.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/pgft.h"
#include "core/tree/dividers.h"
#include "core/tree/grouped_order.h"
#include "core/tree/interleaved_order.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

constexpr std::initializer_list<GxmodkMode> kModes{GxmodkMode::kInterleaved, GxmodkMode::kGrouped, GxmodkMode::kAuto};

Fabric pgft(std::string_view text, std::uint8_t lmc = 0) {
  return test::with_lmc(*generate_pgft(*PgftSpec::parse(text)), lmc);
}

// Every `period`-th end port is "io".
EngineOptions with_io(const Fabric& fabric, std::size_t period, GxmodkMode mode) {
  EngineOptions options;
  options.gxmodk_mode = mode;
  options.node_types.types.push_back({"compute"});
  options.node_types.types.push_back({"io"});
  options.node_types.of_endport = IdVector<EndportId, NodeTypeId>(fabric.num_endports());
  for (std::size_t e = period - 1; e < fabric.num_endports(); e += period)
    options.node_types.of_endport[id_at<EndportId>(e)] = NodeTypeId{1};
  return options;
}

ForwardingTables tables_of(const Fabric& fabric, const EngineOptions& options) {
  const FatTree tree = *rank(fabric);
  return make_engine("gxmodk", options)->route(tree)->tables;
}

// steady_form.h read word by word: sets and searches instead of arrays.
PortNum slow_port(const FatTree& tree, const UpDownCosts& costs, SwitchId s, SwitchId t, std::uint32_t id,
                  std::uint32_t offset) {
  const std::uint32_t divider = dividers(tree)[s];
  const std::uint32_t q = id / divider + offset / divider;
  const std::vector<PortGroup> closer = closer_groups(tree, costs, s, t);
  std::map<SwitchId, PortGroup> by_far;
  for (const PortGroup& group : closer) by_far[group.remote] = group;
  std::set<SwitchId> planes;
  if (costs.down_cost(s, t) != kUnreachable) {
    for (const auto& [far, group] : by_far) planes.insert(far);
  } else {
    std::set<SwitchId> own;
    for (const PortGroup& up : tree.up_groups(s)) own.insert(up.remote);
    planes = own;
    for (const SwitchId sibling : tree.fabric().switches()) {
      if (tree.level(sibling) != tree.level(s)) continue;
      bool shares = false;
      for (const PortGroup& up : tree.up_groups(sibling)) shares = shares || own.contains(up.remote);
      if (shares)
        for (const PortGroup& up : tree.up_groups(sibling)) planes.insert(up.remote);
    }
    if (own.size() * 2 < planes.size()) planes = own;
  }
  const auto wanted = std::next(planes.begin(), q % static_cast<std::uint32_t>(planes.size()));
  const std::uint32_t rest = q / static_cast<std::uint32_t>(planes.size());
  std::vector<SwitchId> candidates;  // from the wanted plane on, round
  for (auto it = wanted; it != planes.end(); ++it)
    if (by_far.contains(*it)) candidates.push_back(*it);
  for (auto it = planes.begin(); it != wanted; ++it)
    if (by_far.contains(*it)) candidates.push_back(*it);
  const SwitchId far =
      candidates.front() == *wanted ? *wanted : candidates[rest % std::min<std::size_t>(4, candidates.size())];
  const auto ports = tree.ports(by_far.at(far));
  return ports[rest % ports.size()];
}

TEST(Gxmodk, InterleavedEqualsTheSlowReferenceOnDamagedTreesWithLmc) {
  for (const char* spec : {"3;4,3,3;1,3,2;1,1,1", "2;6,4;1,3;1,2", "3;4,2,3;1,2,2;1,2,1"})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Fabric fabric = *degrade(pgft(spec, seed % 2 == 0 ? 1 : 0), {.links = 3, .seed = seed});
      const FatTree tree = *rank(fabric);
      const UpDownCosts costs(tree);
      const EngineOptions options = with_io(fabric, 4, GxmodkMode::kInterleaved);
      const ForwardingTables tables = make_engine("gxmodk", options)->route(tree)->tables;
      const auto orders = interleaved_orders(tree, topological_order(tree, costs), options.node_types);
      for (const SwitchId s : fabric.switches())
        for (const EndportId e : fabric.endports()) {
          const Endport& host = fabric.at(e);
          if (s == host.leaf || costs.cost(s, host.leaf) == kUnreachable) continue;
          const std::size_t turns_at =
              (costs.cost(s, host.leaf) + index(tree.level(s)) + index(tree.level(host.leaf))) / std::size_t{2};
          const NodeOrder& order = orders[std::min(turns_at, orders.size() - 1)];
          for (std::uint32_t k = 0; k < (1U << host.lmc); ++k)
            ASSERT_EQ(tables.at(s, id_at<Lid>(index(host.lid) + k)),
                      slow_port(tree, costs, s, host.leaf, order.of_endport[e], k))
                << spec << " seed " << seed << ": " << fabric.label(s) << " to " << fabric.label(e) << " + " << k;
        }
    }
}

TEST(Gxmodk, GroupedIsTheClosedFormOnIdsByType) {
  const Fabric fabric = *degrade(pgft("3;4,4,3;1,2,2;1,1,1"), {.links = 4, .seed = 1});
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  const EngineOptions options = with_io(fabric, 4, GxmodkMode::kGrouped);
  const ForwardingTables tables = tables_of(fabric, options);
  const ForwardingTables expected =
      closed_form(tree, costs, grouped_order(fabric, topological_order(tree, costs), options.node_types));
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid < expected.width(); ++lid)
      if (const PortNum port = expected.at(s, id_at<Lid>(lid)); port != kNoPort) {
        EXPECT_EQ(tables.at(s, id_at<Lid>(lid)), port);
      }
}

TEST(Gxmodk, WithoutTypesIsDmodcOnWholeTreesThatBlockNothing) {
  for (const char* spec : {"2;6,12;1,6;1,1", "3;4,4,8;1,4,4;1,1,1"}) {
    const Fabric fabric = pgft(spec);
    const FatTree tree = *rank(fabric);
    const ForwardingTables dmodc = make_engine("dmodc")->route(tree)->tables;
    for (const GxmodkMode mode : kModes) {
      EngineOptions options;
      options.gxmodk_mode = mode;
      EXPECT_EQ(tables_of(fabric, options), dmodc) << spec;
    }
  }
}

TEST(Gxmodk, IsSoundOnEveryDrawnFabricWithEveryModeAndLmc) {
  for (const std::uint8_t lmc : std::initializer_list<std::uint8_t>{0, 1, 3})
    for (const auto& [name, drawn] : test::all_drawn_fabrics()) {
      const Fabric fabric = test::with_lmc(drawn, lmc);
      for (const GxmodkMode mode : kModes) {
        const VerifyReport report = verify(fabric, tables_of(fabric, with_io(fabric, 2, mode)));
        EXPECT_TRUE(report.ok()) << name << ": " << (report.ok() ? "" : report.violations.front().text);
      }
    }
}

// A sample of small trees, heavily damaged, and of graphs that are no trees.
TEST(Gxmodk, IsSoundOnDamagedTreesAndRandomGraphs) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 150; ++i) {
    std::string text;
    const unsigned switches = 3 + static_cast<unsigned>(random()) % 10;
    for (unsigned s = 0; s < switches; ++s) text += fmt::format("X{}:{} ", s, random() % 4);
    for (unsigned cable = 0; cable < 2 * switches; ++cable) {
      const auto a = random() % switches;
      const auto b = random() % switches;
      if (a != b) text += fmt::format("X{}-X{} ", a, b);
    }
    const Fabric graph = test::draw(text);
    const Fabric tree = *degrade(pgft(i % 2 == 0 ? "3;4,3,4;1,3,2;1,1,1" : "3;3,4,3;1,2,2;1,2,1", i % 3 == 0 ? 1 : 0),
                                 {.links = i % 20, .seed = i});
    for (const Fabric* fabric : {&graph, &tree}) {
      const EngineOptions options = with_io(*fabric, 3, GxmodkMode::kInterleaved);
      const VerifyReport report = verify(*fabric, tables_of(*fabric, options));
      EXPECT_TRUE(report.ok()) << text << ": " << (report.ok() ? "" : report.violations.front().text);
    }
  }
}

TEST(Gxmodk, GivesTheSameTablesWhateverTheThreadsAndTheOrderOfDiscovery) {
  const Fabric fabric = *degrade(pgft("3;4,4,4;1,4,2;1,1,1"), {.links = 5, .seed = 2});
  const auto by_guid = [](const Fabric& f, GxmodkMode mode, int threads) {
    EngineOptions options = with_io(f, 4, mode);
    tbb::task_arena arena(threads);
    return arena.execute([&] { return tables_of(f, options); });
  };
  const Fabric shuffled = test::shuffled(fabric, 5);
  for (const GxmodkMode mode : kModes) {
    const ForwardingTables one = by_guid(fabric, mode, 1);
    EXPECT_EQ(by_guid(fabric, mode, 7), one);
    EXPECT_EQ(by_guid(shuffled, mode, 3), one);
  }
}

TEST(Gxmodk, AutoGroupsFromTheShareOfStorageTrafficOnThatPays) {
  const Fabric fabric = pgft("2;12,8;1,4;1,1");  // storage nodes on one port of each leaf: all on one spine
  EngineOptions options = with_io(fabric, 12, GxmodkMode::kAuto);
  const auto routed_as = [&](GxmodkMode mode) {
    EngineOptions fixed = options;
    fixed.gxmodk_mode = mode;
    return tables_of(fabric, fixed);
  };
  ASSERT_NE(routed_as(GxmodkMode::kGrouped), routed_as(GxmodkMode::kInterleaved));
  options.storage_share = 0.1;  // F = 8 and 2: 0.1 x 6 < 0.9
  EXPECT_EQ(tables_of(fabric, options), routed_as(GxmodkMode::kInterleaved));
  options.storage_share = 0.2;  // 0.2 x 6 > 0.8
  EXPECT_EQ(tables_of(fabric, options), routed_as(GxmodkMode::kGrouped));
}

TEST(SteadyForm, MovesOnlyWhatALostCableCarried) {
  const Fabric whole = pgft("3;4,4,4;1,4,2;1,1,1");
  const FatTree tree = *rank(whole);
  const SwitchId leaf = tree.ascending()[0];
  const PortNum lost = tree.ports(tree.up_groups(leaf)[1])[0];
  const EngineOptions options = with_io(whole, 4, GxmodkMode::kInterleaved);
  const ForwardingTables before = tables_of(whole, options);
  const Fabric damaged = without_link(whole, leaf, lost);
  const ForwardingTables after = tables_of(damaged, options);
  for (const EndportId e : whole.endports()) {
    const Lid lid = whole.at(e).lid;
    if (before.at(leaf, lid) != lost) {
      EXPECT_EQ(after.at(leaf, lid), before.at(leaf, lid)) << whole.label(e);
    }
  }
}

}  // namespace
}  // namespace espalier
