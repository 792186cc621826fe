// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <set>
#include <tuple>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/engines/modulo/dmodc.h"
#include "core/engines/table_columns.h"
#include "core/fabric/capacities.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/shuffled_guids.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::with_lmc;
using test::with_shuffled_guids;

Fabric made(std::string_view kind, std::string_view spec, std::uint64_t seed = 1001) {
  return test::generated(kind, spec, 0, seed);
}

// One link of so many is gone.
Fabric damaged(const Fabric& whole, std::size_t one_of, std::uint64_t seed) {
  return degrade(whole, {.links = whole.num_switch_links() / one_of, .seed = seed}).value();
}

Routing routed(const Fabric& fabric, unsigned vls) {
  return Layers("layers", vls, std::make_shared<Dmodc>()).route(rank(fabric).value()).value();
}

// Channels between switches from one host to another.
std::vector<ChannelId> path(const Fabric& fabric, const Routing& routing, EndportId from, EndportId to) {
  std::vector<ChannelId> channels;
  for (SwitchId at = fabric.at(from).leaf; at != fabric.at(to).leaf && channels.size() < 100;) {
    channels.push_back(fabric.channel(at, routing.tables.at(at, fabric.at(to).lid)));
    at = fabric.peer(channels.back()).as_switch();
  }
  return channels;
}

// By what channels carry.
double fullest(const Fabric& fabric, const Routing& routing) {
  const Capacities capacities(fabric);
  std::vector<double> load(fabric.num_channels());
  for (const EndportId s : fabric.endports())
    for (const EndportId d : fabric.endports())
      if (s != d)
        for (const ChannelId c : path(fabric, routing, s, d)) load[index(c)] += capacities.weight(c);
  return *std::max_element(load.begin(), load.end());
}

TEST(Layers, are_sound_on_any_fabric_with_any_number_of_lanes) {
  std::vector<std::pair<std::string, Fabric>> fabrics;
  for (auto& [name, fabric] : test::all_drawn_fabrics()) fabrics.emplace_back(name, std::move(fabric));
  for (const auto& [kind, spec] : std::vector<std::pair<std::string, std::string>>{{"jellyfish", "24,4,2"},
                                                                                   {"gdbg", "20,2,2"},
                                                                                   {"kautz", "2,3,1"},
                                                                                   {"slimfly", "3,2"},
                                                                                   {"torus", "4,4,3,1"},
                                                                                   {"hyperx", "3,4;2,1;2"},
                                                                                   {"pgft", "2;4,4;1,3;1,1"}}) {
    const Fabric whole = made(kind, spec);
    fabrics.emplace_back(kind, whole);
    fabrics.emplace_back(kind + " damaged", damaged(whole, 10, 1002));
    fabrics.emplace_back(kind + " with an LMC", with_lmc(whole, 2));
  }
  for (const auto& [name, fabric] : fabrics)
    for (const unsigned vls : {1U, 2U, 4U, 15U})
      EXPECT_EQ(complaint(fabric, routed(fabric, vls), vls), "") << name << ", " << vls << " lanes";
}

TEST(Layers, take_shortest_paths_and_one_lane_on_a_fat_tree) {
  const Fabric fabric = made("pgft", "2;6,6;1,6;1,1");
  const Routing routing = routed(fabric, 8);
  EXPECT_FALSE(routing.lanes);
  EXPECT_EQ(fullest(fabric, routing), 30);  // 6 hosts x 30 on other leaves, over 6 links
}

TEST(Layers, take_two_lanes_on_a_slim_fly_and_spread_evenly) {
  const Fabric fabric = made("slimfly", "5,4");
  const Routing routing = routed(fabric, 8);
  ASSERT_TRUE(routing.lanes);
  EXPECT_EQ(routing.lanes->num_vls(), 2);
  EXPECT_TRUE(routing.warnings.empty());
  // 50 x 49 pairs of switches on 1.857 channels each, 16 flows a pair: 208 on each of 350 channels.
  EXPECT_LE(fullest(fabric, routing), 260);
}

TEST(Layers, in_a_random_graph_improve_trees_on_the_loads_of_the_others) {
  for (const std::uint64_t seed : {1001, 2001, 2002}) {
    const Fabric fabric = made("jellyfish", "50,7,4", seed);
    EXPECT_LE(fullest(fabric, routed(fabric, 8)), 280) << seed;  // 248 to 280; dfsssp of OpenSM has 344 on the first
  }
}

TEST(Layers, in_a_random_graph_take_three_lanes) {
  for (const std::uint64_t seed : {1211, 1212, 1213}) {
    const Routing routing = routed(made("jellyfish", "100,9,5", seed), 8);
    EXPECT_EQ(routing.lanes->num_vls(), 3) << seed;
  }
}

// Dimension order loads channels with 320; it leaves no room for other paths within the lanes that it needs.
TEST(Layers, on_a_torus_take_lanes_for_other_paths_than_by_dimensions) {
  const Fabric whole = made("torus", "8,8,4,1");
  EXPECT_LE(fullest(whole, routed(whole, 8)), 266);
  const Fabric part = damaged(whole, 20, 1301);
  EXPECT_LE(fullest(part, routed(part, 8)), 310);
}

// A link at a quarter of its width would be four times as full as others; what shortest paths leave no choice about stays
// on it.
TEST(Layers, spare_slow_links) {
  for (const auto& [kind, spec, more] : {std::tuple("torus", "5,5,4,2", 1.4), {"jellyfish", "50,7,4", 2.3}})
    for (std::uint64_t seed = 1001; seed < 1004; ++seed) {
      const Fabric whole = made(kind, spec);
      const Fabric fabric = change(whole, {.throttled_links = 1, .seed = seed}).value();
      const Routing routing = routed(fabric, 8);
      EXPECT_EQ(complaint(fabric, routing, 8), "");
      EXPECT_LE(fullest(fabric, routing), more * fullest(whole, routed(whole, 8))) << kind << " seed " << seed;
    }
}

// Other shortest paths need more lanes, and with four of them loaded channels with up to 312.
TEST(Layers, on_whole_tori_go_by_dimensions_however_switches_are_numbered) {
  for (const std::uint64_t seed : {9101, 9102}) {
    const Fabric fabric = with_shuffled_guids(made("torus", "8,8,4,1"), seed);
    const Routing routing = routed(fabric, 4);
    EXPECT_LE(fullest(fabric, routing), 266) << seed;
    EXPECT_EQ(complaint(fabric, routing, 4), "") << seed;
  }
  // Rings of four are products of pairs, on which dimension order closes no cycle.
  const Fabric cube = with_shuffled_guids(made("torus", "4,4,4,1"), 9103);
  const Routing routing = routed(cube, 1);
  EXPECT_EQ(fullest(cube, routing), 32);  // 64 x 64 flows, 1 hop each in 3 rings, on 2 x 64 channels of each
  EXPECT_TRUE(routing.warnings.empty());
}

// Where one tree more or less is hardly felt, the LIDs of a switch have one.
TEST(Layers, give_many_hosts_of_a_switch_one_tree) {
  const Fabric fabric = made("jellyfish", "40,12,8", 2001);
  const Routing routing = routed(fabric, 8);
  std::set<std::vector<PortNum>> trees;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
    std::vector<PortNum> column;
    for (const SwitchId s : fabric.switches())
      column.push_back(s == fabric.destination_switch(id_at<Lid>(lid)) ? kNoPort
                                                                       : routing.tables.at(s, id_at<Lid>(lid)));
    trees.insert(column);
  }
  EXPECT_LE(2 * trees.size(), index(fabric.top_lid()));
  EXPECT_EQ(complaint(fabric, routing, 8), "");
}

// For multicast; where a lane has been left to it, that is lane 0.
TEST(Layers, leave_most_room_on_virtual_lane_0) {
  for (const Fabric& fabric : {made("jellyfish", "50,7,4", 2001), made("gdbg", "50,4,4")}) {
    const Routing routing = routed(fabric, 8);
    ASSERT_TRUE(routing.lanes);
    const ChannelDependencies graph(fabric, routing.tables, *routing.lanes);
    std::vector<std::uint64_t> steps(graph.num_vls());
    for (std::size_t v = 0; v < graph.num_virtual_channels(); ++v)
      graph.for_each_next(id_at<VirtualChannelId>(v), [&](VirtualChannelId) { ++steps[v % graph.num_vls()]; });
    EXPECT_EQ(std::min_element(steps.begin(), steps.end()), steps.begin());
  }
}

// Trees turn to other channels one switch after the other, and what is behind these follows.
TEST(Layers, keep_a_lane_for_each_route_while_trees_improve) {
  const Fabric whole = made("torus", "6,6,4,1");
  for (const std::uint64_t seed : {1001, 1002, 1003}) {
    const Fabric fabric = damaged(whole, 20, seed);
    EXPECT_EQ(complaint(fabric, routed(fabric, 8), 8), "") << "seed " << seed;
  }
}

TEST(Layers, with_more_lanes_are_no_worse) {
  const Fabric fabric = made("jellyfish", "40,5,3", 1003);
  const double one = fullest(fabric, routed(fabric, 1)), eight = fullest(fabric, routed(fabric, 8));
  EXPECT_LT(eight, one);
}

// By distance from a root a channel beside it carries 1 604.
TEST(Layers, on_a_torus_with_one_lane_go_in_rows_however_switches_are_numbered) {
  const Fabric whole = made("torus", "8,8,4,1");
  for (const std::uint64_t seed : {1401, 1402}) {
    const Fabric other = with_shuffled_guids(whole, seed);
    const Routing routing = routed(other, 1);
    EXPECT_LE(fullest(other, routing), 420) << seed;
    EXPECT_EQ(complaint(other, routing, 1), "") << seed;
  }
  const Fabric part = damaged(with_shuffled_guids(whole, 1403), 20, 1403);
  EXPECT_LE(fullest(part, routed(part, 1)), 600);
}

// By distance from a root: 800, 960 and more.
TEST(Layers, in_a_random_graph_with_one_lane_keep_away_from_a_root) {
  for (const std::uint64_t seed : {1411, 1412}) {
    const Fabric fabric = made("jellyfish", "50,7,4", seed);
    EXPECT_LE(fullest(fabric, routed(fabric, 1)), 400) << seed;
  }
}

// Steps are found on fewer trees; then each host of a large switch, or two, has its own, which fill channels more evenly.
TEST(Layers, with_one_lane_have_more_trees_than_the_search_for_it) {
  const Fabric fabric = made("jellyfish", "40,12,8", 2001);
  const Routing routing = routed(fabric, 1);
  EXPECT_GT(table_columns(fabric, routing.tables).size(), fabric.num_endports() / 2);
  EXPECT_LE(fullest(fabric, routing), 470);
  EXPECT_EQ(complaint(fabric, routing, 1), "");
}

TEST(Layers, are_the_same_on_any_number_of_threads) {
  for (const Fabric& fabric : {made("jellyfish", "50,7,4", 1421), with_shuffled_guids(made("torus", "4,4,4,1"), 1421)})
    for (const unsigned vls : {1U, 2U}) {
      std::vector<ForwardingTables> tables;
      for (const int threads : {1, 2, 5})
        tables.push_back(tbb::task_arena(threads).execute([&] { return routed(fabric, vls).tables; }));
      EXPECT_EQ(tables[0], tables[1]);
      EXPECT_EQ(tables[0], tables[2]);
    }
}

class CountingEngine : public RoutingEngine {
 public:
  [[nodiscard]] std::string_view name() const override { return "counting"; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override {
    ++calls;
    return Dmodc().route(tree);
  }
  mutable int calls = 0;
};

TEST(Layers, ask_the_engine_for_trees_only_about_what_resembles_one) {
  const auto engine = std::make_shared<CountingEngine>();
  const auto calls_on = [&](const Fabric& fabric) {
    engine->calls = 0;
    EXPECT_TRUE(Layers("layers", 1, engine).route(rank(fabric).value()));
    return engine->calls;
  };
  EXPECT_EQ(calls_on(with_shuffled_guids(made("torus", "5,4,3,1"), 1001)), 0);
  // On these, links that are gone make levels.
  for (const std::uint64_t seed : {4207, 4208})
    EXPECT_EQ(calls_on(with_shuffled_guids(damaged(made("torus", "8,8,4,1"), 20, seed), seed)), 0) << seed;
  EXPECT_EQ(calls_on(damaged(made("kary", "4,3"), 10, 1001)), 1);
}

// Lanes would be of no use.
TEST(Layers, on_a_whole_tree_take_what_its_engine_makes_with_any_number_of_lanes) {
  const Fabric fabric = with_shuffled_guids(made("kary", "4,3"), 1001);
  const ForwardingTables expected = Dmodc().route(rank(fabric).value())->tables;
  for (const unsigned vls : {1U, 2U, 8U}) {
    const Routing routing = routed(fabric, vls);
    EXPECT_EQ(routing.tables, expected);
    EXPECT_FALSE(routing.lanes);
  }
}

TEST(Layers, on_a_damaged_fat_tree_with_one_lane_are_no_worse_than_its_levels) {
  const Fabric whole = made("kary", "4,3");
  for (const std::uint64_t seed : {1001, 1002, 1003}) {
    const Fabric fabric = damaged(whole, 10, seed);
    const double by_levels = fullest(fabric, Dmodc().route(rank(fabric).value()).value());
    EXPECT_LE(fullest(fabric, routed(fabric, 1)), by_levels) << "seed " << seed;
  }
}

TEST(Layers, in_a_hyperx_go_dimension_by_dimension_on_one_lane) {
  const Fabric fabric = made("hyperx", "6,6;3");
  const Routing routing = routed(fabric, 8);
  EXPECT_FALSE(routing.lanes);
  EXPECT_EQ(fullest(fabric, routing), 54);  // 2 160 hops of pairs of switches over 360 channels, 9 flows each
}

// In dimension order either all flows over a channel come from one switch, or all go to one.
TEST(Layers, in_a_damaged_hyperx_mostly_go_dimension_by_dimension) {
  const Fabric fabric = with_shuffled_guids(damaged(made("hyperx", "7,7;1,1;2"), 20, 1004), 1004);
  const Routing routing = routed(fabric, 8);
  EXPECT_EQ(complaint(fabric, routing, 8), "");
  std::vector<std::set<SwitchId>> from(fabric.num_channels()), to(fabric.num_channels());
  for (const EndportId s : fabric.endports())
    for (const EndportId d : fabric.endports())
      for (const ChannelId c : path(fabric, routing, s, d)) {
        from[index(c)].insert(fabric.at(s).leaf);
        to[index(c)].insert(fabric.at(d).leaf);
      }
  std::size_t ends = 0, used = 0;
  for (std::size_t c = 0; c < from.size(); ++c) {
    ends += std::min(from[c].size(), to[c].size());
    used += from[c].empty() ? 0 : 1;
  }
  EXPECT_LE(4 * ends, 7 * used);  // 4.5 times as many as channels on other shortest paths
}

TEST(Layers, offsets_take_other_ways) {
  const Fabric fabric = with_lmc(made("jellyfish", "24,5,1"), 2);
  const Routing routing = routed(fabric, 8);
  std::uint64_t paths = 0, pairs = 0;
  for (const EndportId s : fabric.endports())
    for (const EndportId d : fabric.endports()) {
      if (s == d) continue;
      std::set<PortNum> first;
      for (std::size_t k = 0; k < 4; ++k)
        first.insert(routing.tables.at(fabric.at(s).leaf, lid_at_offset(fabric.at(d).lid, k)));
      paths += first.size();
      ++pairs;
    }
  EXPECT_GE(2 * paths, 3 * pairs);
}

// Another engine's routing, as good as there are, on as many lanes as it needs; marked by a warning.
Routing asked_elsewhere(const Fabric& fabric, unsigned vls, unsigned vls_elsewhere) {
  const auto other = [&](const Fabric& f) {
    Routing routing = routed(f, vls_elsewhere);
    routing.warnings = {"elsewhere"};
    return std::optional(std::move(routing));
  };
  return Layers("layers", vls, nullptr, other).route(rank(fabric).value()).value();
}

TEST(Layers, take_a_routing_of_another_engine_on_no_more_lanes_than_there_are) {
  const Fabric slim_fly = made("slimfly", "5,2");
  ASSERT_EQ(routed(slim_fly, 4).lanes->num_vls(), 2);
  EXPECT_THAT(asked_elsewhere(slim_fly, 4, 4).warnings, testing::ElementsAre("elsewhere"));
  EXPECT_THAT(asked_elsewhere(slim_fly, 2, 4).warnings, testing::ElementsAre("elsewhere"));
  EXPECT_THAT(asked_elsewhere(slim_fly, 1, 4).warnings, testing::Not(testing::Contains("elsewhere")));
  const Fabric tree = made("pgft", "2;4,6;1,4;1,1");
  ASSERT_FALSE(routed(tree, 1).lanes);
  EXPECT_THAT(asked_elsewhere(tree, 1, 1).warnings, testing::ElementsAre("elsewhere"));
}

}  // namespace
}  // namespace espalier
