// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/engines/engines.h"
#include "core/fabric/capacities.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/fabric/random_order.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::with_lmc;

Fabric made(std::string_view kind, std::string_view spec, std::size_t lost_links = 0) {
  return degrade(test::generated(kind, spec, 0, 1001), {.links = lost_links, .seed = 1001}).value();
}

// Some links at a quarter of their rate.
Fabric with_slow_links(const Fabric& fabric, std::size_t links) {
  return change(fabric, {.throttled_links = links, .seed = 1001}).value();
}

std::vector<KnownFlow> shift_by(const Fabric& fabric, std::size_t distance) {
  std::vector<KnownFlow> flows;
  for (const EndportId e : fabric.endports())
    flows.push_back({e, id_at<EndportId>((index(e) + distance) % fabric.num_endports()), 1});
  return flows;
}

std::vector<KnownFlow> elephants(const Fabric& fabric, std::size_t count, std::uint64_t seed) {
  RandomOrder random(seed, "elephants");
  std::vector<KnownFlow> flows;
  while (flows.size() < count) {
    const KnownFlow flow{id_at<EndportId>(random.below(fabric.num_endports())),
                         id_at<EndportId>(random.below(fabric.num_endports())), 1};
    if (flow.source != flow.destination) flows.push_back(flow);
  }
  return flows;
}

enum class Lids : std::uint8_t { kFirst, kChosen };

Routing routed(const FatTree& tree, std::string_view engine, unsigned vls, const std::vector<KnownFlow>& flows,
               Lids lids = Lids::kFirst) {
  EngineOptions options;
  options.max_vls = vls;
  options.known_flows = flows;
  options.hosts_choose_lids = lids == Lids::kChosen;
  return make_engine(engine, options)->route(tree).value();
}

// What the flows put on the fullest channel between switches, by what it carries, each at the LID that is chosen for it, if
// any is.
double fullest(const Fabric& fabric, const Routing& routing, const std::vector<KnownFlow>& flows) {
  const Capacities capacities(fabric);
  std::vector<double> load(fabric.num_channels());
  for (const KnownFlow& flow : flows) {
    const Endport& to = fabric.at(flow.destination);
    const auto offset = routing.choices ? routing.choices->at(flow.source, flow.destination).front().offset : 0U;
    const auto lid = lid_at_offset(to.lid, offset);
    std::size_t hops = 0;
    for (SwitchId at = fabric.at(flow.source).leaf; at != to.leaf && hops < 100; ++hops) {
      const ChannelId c = fabric.channel(at, routing.tables.at(at, lid));
      load[index(c)] += flow.weight * capacities.weight(c);
      at = fabric.peer(c).as_switch();
    }
    EXPECT_LT(hops, 100);
  }
  return *std::max_element(load.begin(), load.end());
}

TEST(Flows, load_no_channel_more_than_engines_that_do_not_know_them) {
  const std::vector<std::pair<std::string, Fabric>> fabrics{
      {"dragonfly", made("dragonfly", "2,4,2,9")},
      {"damaged dragonfly", made("dragonfly", "3,6,3,10", 15)},
      {"jellyfish", made("jellyfish", "24,5,3")},
      {"de Bruijn", made("gdbg", "24,3,3")},
      {"torus", made("torus", "4,4,4,1")},
      {"damaged tree", made("kary", "6,3", 32)},
      {"torus with slow links", with_slow_links(made("torus", "4,4,4,1"), 6)}};
  for (const auto& [name, fabric] : fabrics) {
    const FatTree tree = rank(fabric).value();
    const std::vector<std::vector<KnownFlow>> sets{shift_by(fabric, 7), shift_by(fabric, 50),
                                                   elephants(fabric, 150, 1001)};
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (const unsigned vls : {1U, 2U, 8U}) {
        const Routing routing = routed(tree, "flows", vls, sets[i]);
        EXPECT_EQ(complaint(fabric, routing, vls), "") << name << ", " << vls << " lanes";
        const double load = fullest(fabric, routing, sets[i]);
        for (const std::string_view engine : {"layers", "dragonfly"}) {
          if (engine == "dragonfly" && (vls < 2 || name.find("dragonfly") == std::string::npos)) continue;
          EXPECT_LE(load, fullest(fabric, routed(tree, engine, vls, sets[i]), sets[i]))
              << name << ", set " << i << ", " << vls << " lanes, " << engine;
        }
      }
  }
}

TEST(Flows, take_detours_around_the_one_link_between_two_groups) {
  const Fabric fabric = made("dragonfly", "4,8,4,32");
  const FatTree tree = rank(fabric).value();
  const std::vector<KnownFlow> flows = shift_by(fabric, 50);  // 18 on each such link by shortest paths
  const Routing routing = routed(tree, "flows", 8, flows);
  EXPECT_EQ(complaint(fabric, routing, 8), "");
  EXPECT_LE(fullest(fabric, routing, flows), 3);
}

TEST(Flows, over_one_channel_wait_on_different_lanes) {
  const Fabric fabric = made("dragonfly", "3,6,3,19");
  const std::vector<KnownFlow> flows = shift_by(fabric, 50);
  const Routing routing = routed(rank(fabric).value(), "flows", 8, flows);
  std::map<std::pair<ChannelId, unsigned>, int> flows_on;
  int together = 0;
  for (const KnownFlow& flow : flows) {
    const Endport& from = fabric.at(flow.source);
    const Endport& to = fabric.at(flow.destination);
    const unsigned sl = routing.lanes->sl(from.lid, to.lid);
    for (SwitchId at = from.leaf; at != to.leaf;) {
      const ChannelId c = fabric.channel(at, routing.tables.at(at, to.lid));
      together += flows_on[{c, sl}]++;
      at = fabric.peer(c).as_switch();
    }
  }
  EXPECT_LE(
      together,
      100);  // of pairs of flows that meet on a channel; 242 if lanes went by numbers of routes, 459 without more lanes
}

TEST(Flows, to_one_host_go_separate_ways) {
  const Fabric fabric = made("dragonfly", "3,6,3,19");
  const FatTree tree = rank(fabric).value();
  for (const std::uint64_t seed : {1001, 1002, 1003}) {
    const std::vector<KnownFlow> flows = elephants(fabric, 300, seed);
    EXPECT_LE(fullest(fabric, routed(tree, "flows", 8, flows), flows), 3) << seed;  // 5 or 6 by shortest paths
  }
}

TEST(Flows, do_not_share_a_channel_that_they_need_not_share) {
  const Fabric fabric = made("jellyfish", "24,5,2");
  std::vector<KnownFlow> flows;  // from different switches to different switches
  for (std::uint32_t i = 0; i < 6; ++i)
    flows.push_back({EndportId{4 * i}, id_at<EndportId>((4 * i + 26) % fabric.num_endports()), 10});
  const Routing routing = routed(rank(fabric).value(), "flows", 8, flows);
  EXPECT_EQ(complaint(fabric, routing, 8), "");
  EXPECT_EQ(fullest(fabric, routing, flows), 10);
}

TEST(Flows, leave_slow_links_to_others_where_there_are_other_paths) {
  for (const auto& [kind, spec] : {std::pair{"dragonfly", "3,6,3,19"}, {"jellyfish", "50,7,4"}, {"kary", "6,3"}}) {
    const Fabric whole = made(kind, spec), slow = with_slow_links(whole, 6);
    const std::vector<KnownFlow> flows = elephants(whole, 300, 1002);
    const Routing routing = routed(rank(slow).value(), "flows", 8, flows);
    EXPECT_EQ(complaint(slow, routing, 8), "") << kind;
    EXPECT_EQ(fullest(slow, routing, flows), fullest(whole, routed(rank(whole).value(), "flows", 8, flows), flows))
        << kind;
  }
}

// To each of a few hosts one of another leaf or router sends, its neighbors as well.
std::vector<KnownFlow> to_few(const Fabric& fabric, std::size_t senders, std::size_t receivers) {
  std::vector<KnownFlow> flows;
  for (std::size_t d = 0; d < receivers; ++d)
    for (std::size_t s = 0; s < senders; ++s)
      flows.push_back(
          {id_at<EndportId>(s), id_at<EndportId>(fabric.num_endports() - 1 - d * fabric.num_endports() / 10), 1});
  return flows;
}

TEST(Flows, from_one_leaf_to_one_host_go_separate_ways_where_hosts_choose_lids) {
  const Fabric fabric = with_lmc(made("pgft", "2;4,4;1,4;1,1"), 2);
  const FatTree tree = rank(fabric).value();
  const std::vector<KnownFlow> flows = to_few(fabric, 4, 1);
  const Routing plain = routed(tree, "flows", 8, flows);
  EXPECT_FALSE(plain.choices);
  EXPECT_EQ(fullest(fabric, plain, flows), 4);  // on offset 0 they are one tree
  const Routing chosen = routed(tree, "flows", 8, flows, Lids::kChosen);
  ASSERT_TRUE(chosen.choices);
  EXPECT_EQ(chosen.choices->pairs().size(), 3);  // one stays at offset 0
  EXPECT_EQ(fullest(fabric, chosen, flows), 1);
  EXPECT_EQ(complaint(fabric, chosen, 8), "");
}

TEST(Flows, on_many_lanes_are_no_worse_off_with_more_lids_to_choose_from) {
  for (const auto& [kind, spec] :
       {std::pair{"dragonfly", "2,4,2,9"}, std::pair{"jellyfish", "24,5,3"}, std::pair{"kary", "4,3"}})
    for (const unsigned vls : {1U, 2U, 8U}) {
      const Fabric one = made(kind, spec, 4), four = with_lmc(one, 2);
      const FatTree tree_of_one = rank(one).value(), tree_of_four = rank(four).value();
      std::vector<std::vector<KnownFlow>> sets{shift_by(one, 7), elephants(one, 150, 1001), to_few(one, 12, 5)};
      for (std::size_t i = 0; i < sets.size(); ++i) {
        const Routing routing = routed(tree_of_four, "flows", vls, sets[i], Lids::kChosen);
        EXPECT_EQ(complaint(four, routing, vls), "") << kind << ", " << vls << " lanes";
        if (vls < 8) continue;  // on one lane 7 flows where it had 6: more trees have to do with it
        EXPECT_LE(fullest(four, routing, sets[i]), fullest(one, routed(tree_of_one, "flows", vls, sets[i]), sets[i]))
            << kind << ", set " << i;
      }
    }
}

TEST(Flows, turn_to_other_lids_rather_than_to_a_slow_link) {
  Fabric fabric = with_lmc(with_slow_links(made("pgft", "2;4,4;1,4;1,1"), 1), 2);
  const auto is_slow = [&](SwitchId s) {
    const Capacities capacities(fabric);
    for (const PortNum p : fabric.ports(s))
      if (capacities.of(fabric.channel(s, p)) < 1) return true;
    return false;
  };
  // From the leaf behind the slow link to a host elsewhere: three fast links for four flows.
  std::vector<KnownFlow> flows;
  for (const EndportId from : fabric.endports())
    for (const EndportId to : fabric.endports())
      if (is_slow(fabric.at(from).leaf) && !is_slow(fabric.at(to).leaf) &&
          index(to) % 16 == (index(from) / 4 * 4 + 4) % 16)
        flows.push_back({from, to, 1});
  ASSERT_EQ(flows.size(), 4);
  EXPECT_EQ(fullest(fabric, routed(rank(fabric).value(), "flows", 8, flows, Lids::kChosen), flows), 2);
}

TEST(Flows, of_one_lid_have_nothing_to_choose) {
  const Fabric fabric = made("jellyfish", "24,5,3");
  const FatTree tree = rank(fabric).value();
  const std::vector<KnownFlow> flows = elephants(fabric, 60, 1002);
  const Routing routing = routed(tree, "flows", 8, flows, Lids::kChosen);
  EXPECT_FALSE(routing.choices);
  EXPECT_EQ(routing.tables, routed(tree, "flows", 8, flows).tables);
}

// An engine for trees that counts how often it is asked.
struct CountedTreeEngine : RoutingEngine {
  [[nodiscard]] std::string_view name() const override { return "counted"; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override {
    ++calls;
    return make_engine("dmodc", {})->route(tree);
  }
  mutable int calls = 0;
};

TEST(Flows, ask_each_other_engine_once) {
  for (const Fabric& fabric : {made("pgft", "2;4,6;1,4;1,1", 2), made("dragonfly", "2,4,2,9")}) {
    const FatTree tree = rank(fabric).value();
    const auto tree_engine = std::make_shared<CountedTreeEngine>();
    int calls = 0;
    const OtherRouting other = [&](const Fabric&) {
      ++calls;
      return std::optional(make_engine("dmodc", {})->route(tree).value());
    };
    const Flows flows({.max_vls = 8, .flows = shift_by(fabric, 5)}, tree_engine, other);
    EXPECT_EQ(complaint(fabric, flows.route(tree).value(), 8), "");
    EXPECT_EQ(tree_engine->calls, 1);
    EXPECT_EQ(calls, 1);
  }
}

TEST(Flows, of_which_none_is_known_are_routed_as_layers_are) {
  const Fabric fabric = made("dragonfly", "2,4,2,9");
  const FatTree tree = rank(fabric).value();
  EXPECT_EQ(routed(tree, "flows", 8, {}).tables, routed(tree, "layers", 8, {}).tables);
}

}  // namespace
}  // namespace espalier
