// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The dependency graph on virtual channels against packets that are walked one by one: nothing is shared with the code
// under test but the tables and the lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/lanes.h"
#include "tests/analysis/fill_tables.h"
#include "tests/analysis/random_fabric.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;
using Place = std::tuple<std::size_t, std::size_t, unsigned>;  // switch, port, VL
using Edges = std::set<std::pair<Place, Place>>;

// Anything: random classes, maps, SLs; a discarding entry now and then.
Lanes random_lanes(const Fabric& fabric, Random& random) {
  const std::size_t sources = 1 + below(random, 4);
  const std::size_t destinations = 1 + below(random, 5);
  ServiceLevels levels(fabric.top_lid(), sources, destinations);
  for (std::size_t lid = 0; lid <= index(fabric.top_lid()); ++lid) {
    levels.set_source_class(id_at<Lid>(lid), static_cast<std::uint32_t>(below(random, sources)));
    levels.set_destination_class(id_at<Lid>(lid), static_cast<std::uint32_t>(below(random, destinations)));
  }
  for (std::uint32_t s = 0; s < sources; ++s)
    for (std::uint32_t d = 0; d < destinations; ++d)
      levels.set(s, d, static_cast<std::uint8_t>(below(random, 1 + below(random, kNumSls))));
  LaneMaps maps(fabric);
  const std::size_t num_maps = 1 + below(random, 3);
  const std::size_t vls = 1 + below(random, 4);
  for (std::size_t m = 0; m < num_maps; ++m) {
    maps.add_map(3);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::uint8_t& vl : maps.entry(m, i / 3, i % 3))
        vl = below(random, 200) == 0 ? kDiscardVl : static_cast<std::uint8_t>(below(random, vls));
  }
  for (const SwitchId s : fabric.switches()) {
    maps.use_map(s, below(random, num_maps));
    for (std::size_t p = 0; p <= fabric.at(s).num_ports; ++p)
      maps.set_port_class(s, id_at<PortNum>(p), static_cast<std::uint8_t>(below(random, 3)));
  }
  return Lanes(std::move(levels), std::move(maps));
}

struct Walked {
  Edges edges;
  bool circles = false;
  bool discards = false;
};

// One packet; a circle ends after as many steps as there are switches.
void send(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes, SwitchId at, PortNum in, Lid from,
          Lid lid, Walked& walked) {
  const std::uint8_t sl = lanes.sl(from, lid);
  std::vector<Place> path;
  for (std::size_t steps = 0; index(lid) < tables.width(); ++steps) {
    const PortNum port = tables.at(at, lid);
    if (port == kNoPort || port == kManagementPort || index(port) > fabric.at(at).num_ports) return;
    const Peer& peer = fabric.peer(at, port);
    if (!peer.is_switch()) return;
    if (steps > fabric.num_switches()) {
      walked.circles = true;
      return;
    }
    const unsigned vl = lanes.vl(at, in, port, sl);
    if (vl == kDiscardVl) {
      walked.discards = true;
      return;
    }
    path.emplace_back(index(at), index(port), vl);
    if (path.size() > 1) walked.edges.insert({path[path.size() - 2], path.back()});
    at = peer.as_switch();
    in = peer.port;
  }
}

Walked walk_all(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes) {
  Walked walked;
  for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i) {
    const Lid lid = id_at<Lid>(i);
    if (!fabric.is_in_use(lid)) continue;
    for (const SwitchId s : fabric.switches())
      send(fabric, tables, lanes, s, kManagementPort, fabric.at(s).lid, lid, walked);
    for (const EndportId e : fabric.endports()) {
      const Endport& host = fabric.at(e);
      if (host.leaf == kNoSwitch || host.lid == kNoLid) continue;
      for (std::size_t k = 0; k < std::size_t{1} << host.lmc; ++k)
        send(fabric, tables, lanes, host.leaf, host.leaf_port, lid_at_offset(host.lid, k), lid, walked);
    }
  }
  return walked;
}

bool has_cycle(const Edges& edges) {
  std::map<Place, std::set<Place>> next;
  std::set<Place> left;
  for (const auto& [from, to] : edges) {
    next[from].insert(to);
    left.insert(from);
  }
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    for (auto it = left.begin(); it != left.end();) {
      bool leads_on = false;
      for (const Place& to : next[*it]) leads_on |= left.contains(to);
      it = leads_on ? std::next(it) : left.erase(it);
      shrinks |= !leads_on;
    }
  }
  return !left.empty();
}

Edges edges_of(const Fabric& fabric, const ChannelDependencies& graph) {
  const auto place = [&](VirtualChannelId v) {
    const ChannelId c = graph.channel(v);
    return Place(index(fabric.source(c)), index(fabric.port(c)), graph.vl(v));
  };
  Edges edges;
  for (std::size_t v = 0; v < graph.num_virtual_channels(); ++v)
    graph.for_each_next(id_at<VirtualChannelId>(v), [&](VirtualChannelId to) {
      edges.insert({place(id_at<VirtualChannelId>(v)), place(to)});
    });
  return edges;
}

TEST(LanesAgainstSlow, AgreeOnRandomTablesAndLanes) {
  Random random(2026);
  std::size_t sound = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const Fabric fabric = random_fabric(random);
    const ForwardingTables tables = draw % 3 == 0   ? route_tree(fabric)
                                    : draw % 3 == 1 ? route_shortest(fabric)
                                                    : random_tables(fabric, random);
    const Lanes lanes = random_lanes(fabric, random);
    const Walked walked = walk_all(fabric, tables, lanes);
    const VerifyReport report = verify(fabric, tables, lanes);
    const auto found = [&](Violation::Kind kind) {
      for (const Violation& v : report.violations)
        if (v.kind == kind) return true;
      return false;
    };
    SCOPED_TRACE(draw);
    EXPECT_EQ(found(Violation::Kind::kDiscarded), walked.discards);
    sound += report.ok();
    if (walked.circles) {
      EXPECT_TRUE(found(Violation::Kind::kLoop));
      continue;  // what circles is not in the graph
    }
    const ChannelDependencies graph(fabric, tables, lanes);
    EXPECT_EQ(edges_of(fabric, graph), walked.edges);
    EXPECT_EQ(found(Violation::Kind::kCreditLoop), has_cycle(walked.edges));
    EXPECT_EQ(report.credit_loop.size(), report.credit_loop_vls.size());
  }
  EXPECT_GT(sound, 20U);
}

TEST(LanesAgainstSlow, AreWhatVerifyKnowsWhereThereIsOne) {
  Random random(7);
  for (int draw = 0; draw < 100; ++draw) {
    const Fabric fabric = random_fabric(random);
    const ForwardingTables tables = draw % 2 == 0 ? route_shortest(fabric) : random_tables(fabric, random);
    const VerifyReport one = verify(fabric, tables);
    const VerifyReport lanes = verify(fabric, tables, one_lane(fabric));
    EXPECT_EQ(one.ok(), lanes.ok());
    EXPECT_EQ(one.num_entries, lanes.num_entries);
  }
}

// In a ring of five each shortest path of two hops depends on the next one's first. With a layer of its own for one
// source the circle is open.
TEST(VerifyOnLanes, TellsALoopWithItsLanesAndServiceLevels) {
  const Fabric fabric = ring_of_five();
  const ForwardingTables tables = route_shortest(fabric);
  const VerifyReport one = verify(fabric, tables, one_lane(fabric));
  ASSERT_FALSE(one.ok());
  EXPECT_THAT(one.violations.back().text, HasSubstr(" VL 0 -> "));
  EXPECT_THAT(one.violations.back().text, HasSubstr(" with SL 0 on by port "));

  ServiceLevels levels = levels_by_switch(fabric);
  for (std::uint32_t d = 0; d < levels.num_destinations(); ++d) levels.set(0, d, 1);
  VlsBySl layers{};
  layers[1] = 1;
  const Lanes lanes(std::move(levels), LaneMaps(fabric, layers));
  EXPECT_EQ(lanes.num_vls(), 2U);
  const VerifyReport report = verify(fabric, tables, lanes);
  EXPECT_TRUE(report.ok()) << report.violations.front().text;
}

}  // namespace
}  // namespace espalier::test
