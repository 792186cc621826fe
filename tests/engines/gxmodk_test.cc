// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/gxmodk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <map>
#include <random>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/gsmodk.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/dividers.h"
#include "core/tree/next_hops.h"
#include "core/tree/order/grouped_order.h"
#include "core/tree/order/interleaved_order.h"
#include "core/tree/planes.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/host_pair_router.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::pgft;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::initializer_list<GxmodkMode> kModes{GxmodkMode::kInterleaved, GxmodkMode::kGrouped, GxmodkMode::kAuto};

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

// stable_form.h read word by word, from one switch after the other: sets and searches instead of arrays.
struct SlowStableForm {
  const FatTree& tree;
  const UpDownCosts& costs;
  const SlottedOrder& order;
  const IdVector<SwitchId, SwitchId>& plane;
  SwitchId t;  // the destination's
  std::uint32_t id;
  std::uint32_t offset;
  bool stays;  // in its piece

  struct Step {
    PortNum port = kNoPort;
    bool is_deflected = false;
  };

  [[nodiscard]] std::set<SwitchId> parents(SwitchId s) const {
    std::set<SwitchId> own;
    for (const PortGroup& up : tree.up_groups(s)) own.insert(up.remote);
    std::set<SwitchId> all = own;
    for (const SwitchId sibling : tree.fabric().switches()) {
      if (tree.level(sibling) != tree.level(s)) continue;
      bool shares = false;
      for (const PortGroup& up : tree.up_groups(sibling)) shares = shares || own.contains(up.remote);
      if (shares)
        for (const PortGroup& up : tree.up_groups(sibling)) all.insert(up.remote);
    }
    return own.size() * 4 < all.size() ? own : all;
  }

  [[nodiscard]] bool is_direct_from(SwitchId s, SwitchId far) const {
    if (costs.down_cost(s, t) != kUnreachable || far == t || tree.level(far) <= tree.level(s)) return true;
    return costs.down_cost(far, t) != kUnreachable || !at(far).is_deflected;
  }

  [[nodiscard]] Step at(SwitchId s) const {
    const std::uint32_t divider = dividers(tree)[s];
    const std::uint32_t q = id / divider + offset / divider;
    std::map<SwitchId, PortGroup> closer;
    for (const PortGroup& group : closer_groups(tree, costs, s, t)) closer[group.remote] = group;
    std::set<SwitchId> all;
    if (costs.down_cost(s, t) != kUnreachable)
      for (const auto& [far, group] : closer) all.insert(far);
    else
      all = parents(s);
    std::vector<SwitchId> parent(all.begin(), all.end());
    if (costs.down_cost(s, t) == kUnreachable && !follow_guids(plane, tree))
      std::stable_sort(parent.begin(), parent.end(), [&](SwitchId a, SwitchId b) { return plane[a] < plane[b]; });
    const std::size_t wanted = q % parent.size();
    const auto step = [&](SwitchId far, bool is_deflected) {
      const auto ports = tree.ports(closer.at(far));
      return Step{ports[q / parent.size() % ports.size()], is_deflected};
    };
    if (closer.contains(parent[wanted]) && is_direct_from(s, parent[wanted])) return step(parent[wanted], false);

    const std::size_t piece = std::max(order.width / divider, 1U);
    std::vector<SwitchId> of_piece;
    std::vector<SwitchId> direct;
    for (std::size_t p = 0; p < parent.size(); ++p) {
      if (!closer.contains(parent[p]) || !is_direct_from(s, parent[p])) continue;
      direct.push_back(parent[p]);
      if (p / piece == wanted / piece) of_piece.push_back(parent[p]);
    }
    if (!of_piece.empty() && (of_piece.size() * 3 >= piece || stays)) direct = of_piece;
    const std::size_t turn = q / std::max(order.slots / divider, 1U) * (piece | 1) + wanted % piece;
    if (!direct.empty()) return step(direct[turn % direct.size()], true);
    if (closer.contains(parent[wanted])) return step(parent[wanted], true);
    std::vector<SwitchId> last;
    for (const SwitchId p : parent)
      if (closer.contains(p)) last.push_back(p);
    for (const auto& [far, group] : closer)
      if (!all.contains(far)) last.push_back(far);
    return step(last[turn % last.size()], true);
  }
};

TEST(Gxmodk, InterleavedEqualsTheSlowReferenceOnDamagedTreesWithLmc) {
  std::size_t by_planes = 0;
  for (const char* spec : {"3;4,3,3;1,3,2;1,1,1", "2;6,4;1,3;1,2", "3;4,2,3;1,2,2;1,2,1", "3;8,4,3;1,8,2;1,1,1"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Fabric fabric = *degrade(pgft(spec, seed % 2 == 0 ? 1 : 0), {.links = 5, .seed = seed});
      if (seed > 4) fabric = *change(fabric, {.guids = SiteChanges::Guids::kShuffled, .seed = seed});
      const FatTree tree = *rank(fabric);
      const UpDownCosts costs(tree);
      const auto plane = planes(tree);
      by_planes += follow_guids(plane, tree) ? 0 : 1;
      const EngineOptions options = with_io(fabric, 5, GxmodkMode::kInterleaved);
      const ForwardingTables tables = make_engine("gxmodk", options)->route(tree)->tables;
      const auto orders = interleaved_orders(tree, topological_order(tree, costs), options.node_types);
      for (const SwitchId s : fabric.switches())
        for (const EndportId e : fabric.endports()) {
          const Endport& host = fabric.at(e);
          if (s == host.leaf || costs.cost(s, host.leaf) == kUnreachable) continue;
          const std::size_t turns_at =
              (costs.cost(s, host.leaf) + index(tree.level(s)) + index(tree.level(host.leaf))) / std::size_t{2};
          const bool is_io = options.node_types.of_endport[e] == NodeTypeId{1};
          const SlottedOrder& order = orders[std::min(turns_at, orders.size() - 1)];
          for (std::uint32_t k = 0; k < (1U << host.lmc); ++k)
            ASSERT_EQ(
                tables.at(s, lid_at_offset(host.lid, k)),
                (SlowStableForm{tree, costs, order, plane, host.leaf, order.ids.of_endport[e], k, is_io}.at(s).port))
                << spec << " seed " << seed << ": " << fabric.label(s) << " to " << fabric.label(e) << " + " << k;
        }
    }
  EXPECT_GE(by_planes, 3U);
}

TEST(Gxmodk, GroupedIsTheClosedFormOnIdsByType) {
  const Fabric fabric = *degrade(pgft("3;4,4,3;1,2,2;1,1,1"), {.links = 4, .seed = 1});
  const FatTree tree = *rank(fabric);
  const RoutingProblem problem(tree);
  const EngineOptions options = with_io(fabric, 4, GxmodkMode::kGrouped);
  const ForwardingTables tables = tables_of(fabric, options);
  const NodeOrder grouped = grouped_order(fabric, problem.order, options.node_types);
  const ForwardingTables expected = closed_form_by(problem, LidTargets(tree, grouped));
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
    for (unsigned link = 0; link < 2 * switches; ++link) {
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

TEST(SteadyForm, MovesOnlyWhatALostLinkCarried) {
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

// The ports by which leaf 0 sends to the hosts of the first leaf of another pod, as positions of their far switches.
std::set<std::size_t> planes_in_use(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  const NodeOrder order = topological_order(tree, UpDownCosts(tree));
  const ForwardingTables tables = tables_of(fabric, with_io(fabric, 8, GxmodkMode::kInterleaved));
  const SwitchId from = fabric.at(order.hosts.front()).leaf;
  const SwitchId to = fabric.at(order.hosts[32]).leaf;
  std::set<std::size_t> used;
  for (const EndportId e : tree.hosts(to))
    used.insert(static_cast<std::size_t>(tables.at(from, fabric.at(e).lid)) - 9);  // ports 1 to 8 have hosts
  return used;
}

TEST(SteadyForm, DetoursStayInThePlanesOfTheDestinationsLeafAndSteerAroundWhatIsLostFurtherUp) {
  const Fabric whole = pgft("3;8,4,3;1,8,2;1,1,1");  // S = 16, four leaves in a pod: pieces of four slots
  ASSERT_EQ(planes_in_use(whole), (std::set<std::size_t>{0, 1, 2, 3}));
  const FatTree tree = *rank(whole);
  const SwitchId leaf = whole.at(topological_order(tree, UpDownCosts(tree)).hosts.front()).leaf;
  EXPECT_EQ(planes_in_use(without_link(whole, leaf, PortNum{11})), (std::set<std::size_t>{0, 1, 3}));
  for (const PortGroup& up : tree.up_groups(leaf))
    if (const auto above = tree.up_groups(up.remote); tree.ports(up)[0] == PortNum{11}) {
      EXPECT_EQ(planes_in_use(without_link(whole, up.remote, tree.ports(above[0])[0])),
                (std::set<std::size_t>{0, 1, 3}));
    }
}

// XGFT(3;4,4,6;1,2,2) as in chapter 3, with a storage node on the last port of each leaf.
TEST(Gsmodk, IsWhatSourcesChooseOnGroupedTablesWithAsManyLidsAsThereAreWays) {
  const Fabric fabric = pgft("3;4,4,6;1,2,2;1,1,1", 2);
  const FatTree tree = *rank(fabric);
  const EngineOptions options = with_io(fabric, 4, GxmodkMode::kGrouped);
  const ForwardingTables tables = make_engine("gxmodk", options)->route(tree)->tables;
  const SourceOffsets offsets = source_offsets(RoutingProblem(tree), options.node_types);
  EXPECT_EQ(offsets.radices, (std::vector<std::uint32_t>{2, 2}));
  const HostPairRouter gsmodk(tree);
  const NodeOrder grouped = grouped_order(fabric, gsmodk.order(), options.node_types);
  for (const EndportId s : fabric.endports())
    for (const EndportId d : fabric.endports()) {
      if (fabric.at(s).leaf == fabric.at(d).leaf) continue;
      const Lid lid = lid_at_offset(fabric.at(d).lid, offsets.offset(s, d));
      HostPairRouter::Path path;
      for (SwitchId at = fabric.at(s).leaf; at != fabric.at(d).leaf;) {
        path.push_back(fabric.channel(at, tables.at(at, lid)));
        at = fabric.peer(path.back()).as_switch();
      }
      ASSERT_EQ(path, gsmodk.by_number(s, d, grouped.of_endport[s])) << fabric.label(s) << " to " << fabric.label(d);
    }
}

TEST(Gsmodk, ChoosesAmongAsManyPathsAsTheLidsAllowLowDigitsFirst) {
  const auto radices = [](std::string_view spec, std::uint8_t lmc) {
    const Fabric fabric = pgft(spec, lmc);
    const FatTree tree = *rank(fabric);
    return source_offsets(RoutingProblem(tree), {}).radices;
  };
  EXPECT_THAT(radices("3;6,4,4;1,6,3;1,1,1", 0), IsEmpty());
  EXPECT_THAT(radices("3;6,4,4;1,6,3;1,1,1", 2), ElementsAre(3));  // of 6 parents 3 classes of 2
  EXPECT_THAT(radices("3;6,4,4;1,6,3;1,1,1", 3), ElementsAre(6));
  EXPECT_THAT(radices("3;6,4,4;1,6,3;1,1,1", 5), ElementsAre(6, 3));
}

}  // namespace
}  // namespace espalier
