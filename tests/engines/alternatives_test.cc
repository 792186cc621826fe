// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Alternative ports: what is found is sound for every choice, and what is not is told.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "core/analysis/soundness/verify_alternatives.h"
#include "core/io/lanes/alternatives_file.h"
#include "core/pipeline/find_alternatives.h"
#include "core/pipeline/route_and_verify.h"
#include "core/tree/costs.h"
#include "core/tree/next_hops.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::pgft;

struct Found {
  Fabric fabric;
  Routing routing;
  AlternativePorts ports;
  [[nodiscard]] Lanes lanes() const { return routing.lanes.value_or(one_lane(fabric)); }
};

Found find(Fabric fabric, std::string_view engine, const EngineOptions& options = {}) {
  const FatTree tree = rank(fabric).value();
  Routing routing = route(tree, engine, options).value();
  AlternativePorts ports = find_alternatives(tree, routing).value();
  return {std::move(fabric), std::move(routing), std::move(ports)};
}

// Whatever packets choose, hop by hop from one channel to the next: a search that knows nothing of traces by LID. One
// lane. True: the dependencies of all choices close no cycle.
bool free_of_loops_by_walking(const Found& found) {
  const Fabric& fabric = found.fabric;
  std::vector<std::set<std::size_t>> next(fabric.num_channels());
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
    std::set<std::size_t> seen;
    std::vector<ChannelId> open;
    const auto leave = [&](SwitchId s, std::optional<std::size_t> from) {
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
        if (!found.ports.at(s, id_at<Lid>(lid))[p] || !fabric.peer(s, id_at<PortNum>(p)).is_switch()) continue;
        const ChannelId c = fabric.channel(s, id_at<PortNum>(p));
        if (from) next[*from].insert(index(c));
        if (seen.insert(index(c)).second) open.push_back(c);
      }
    };
    for (const SwitchId s : fabric.switches()) leave(s, std::nullopt);
    while (!open.empty()) {
      const ChannelId c = open.back();
      open.pop_back();
      leave(fabric.peer(c).as_switch(), index(c));
    }
  }
  std::vector<int> state(next.size(), 0);
  const auto circles = [&](auto&& self, std::size_t c) -> bool {
    state[c] = 1;
    for (const std::size_t n : next[c])
      if (state[n] == 1 || (state[n] == 0 && self(self, n))) return true;
    state[c] = 2;
    return false;
  };
  for (std::size_t c = 0; c < next.size(); ++c)
    if (state[c] == 0 && circles(circles, c)) return false;
  return true;
}

TEST(Alternatives, of_a_whole_tree_are_all_shortest_up_down_ports) {
  const Found found = find(pgft("3;4,4,4;1,4,4;1,1,1"), "dmodc");
  const FatTree tree = rank(found.fabric).value();
  const UpDownCosts costs(tree);
  for (const EndportId e : found.fabric.endports()) {
    const Endport& host = found.fabric.at(e);
    for (const SwitchId s : found.fabric.switches()) {
      if (s == host.leaf) continue;
      PortSet wanted;
      for (const PortNum port : alternative_ports(tree, costs, s, host.leaf)) wanted.set(index(port));
      EXPECT_EQ(found.ports.at(s, host.lid), wanted) << found.fabric.label(s);
    }
  }
  EXPECT_TRUE(verify_alternatives(found.fabric, found.routing.tables, found.ports, found.lanes()).ok());
  EXPECT_TRUE(free_of_loops_by_walking(found));
}

TEST(Alternatives, are_sound_on_dragonflies_and_random_graphs) {
  EngineOptions four;
  four.max_vls = 4;
  for (const char* engine : {"dragonfly", "dragonfly-rlm", "layers"}) {
    const Found found = find(test::generated("dragonfly", "2,4,2,9"), engine, four);
    EXPECT_TRUE(verify_alternatives(found.fabric, found.routing.tables, found.ports, found.lanes()).ok()) << engine;
    EXPECT_GT(count_alternatives(found.fabric, found.ports).with_choice, 0U) << engine;
  }
}

TEST(Alternatives, all_nearer_ports_of_a_ring_close_a_loop_and_are_told) {
  EngineOptions one;
  one.max_vls = 1;
  const Found found = find(test::ring_of_five(), "layers", one);
  EXPECT_TRUE(free_of_loops_by_walking(found));
  AlternativePorts both = found.ports;
  for (const SwitchId s : found.fabric.switches())
    for (const EndportId e : found.fabric.endports()) {
      const Endport& host = found.fabric.at(e);
      if (s == host.leaf) continue;
      PortSet ports;
      for (std::size_t p = 1; p <= found.fabric.at(s).num_ports; ++p)
        if (found.fabric.peer(s, id_at<PortNum>(p)).is_switch()) ports.set(p);
      both.set(s, host.lid, ports);
    }
  const VerifyReport report = verify_alternatives(found.fabric, found.routing.tables, both, found.lanes());
  EXPECT_FALSE(report.ok());
}

TEST(Alternatives, come_back_from_their_file) {
  const Found found = find(pgft("2;4,4;1,2;1,2"), "dmodc");
  const auto read = read_alternatives(write_alternatives(found.fabric, found.ports), "alternatives", found.fabric);
  ASSERT_TRUE(read) << read.error().text();
  for (const SwitchId s : found.fabric.switches())
    for (std::size_t lid = 1; lid <= index(found.fabric.top_lid()); ++lid)
      EXPECT_EQ(read->at(s, id_at<Lid>(lid)), found.ports.at(s, id_at<Lid>(lid)));
}

TEST(Alternatives, bad_lines_are_told_with_their_number) {
  const Fabric fabric = pgft("2;4,4;1,2;1,2");
  const std::string guid = fmt::format("switch 0x{:x}\n", static_cast<std::uint64_t>(fabric.at(SwitchId{0}).guid));
  for (const char* line : {"ports : 1", "ports 1 2", "ports 300: 1", "ports 1: 0", "ports 1: 5-2", "ports 1: 1 1",
                           "port 1: 1", "switch x", "ports 1: 1-99999999999"}) {
    const auto read = read_alternatives(guid + line + "\n", "file", fabric);
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().line, 2) << line;
  }
  EXPECT_FALSE(read_alternatives("", "file", fabric));
  EXPECT_FALSE(read_alternatives("ports 1: 1\n", "file", fabric));
}

}  // namespace
}  // namespace espalier
