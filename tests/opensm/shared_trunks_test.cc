// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Multicast on the lanes of dragonflies: one tree for all groups closes no loop with unicast, two can.
#include "plugin/multicast/shared_trunks.h"

#include <gtest/gtest.h>

#include "core/analysis/soundness/credit_loop.h"
#include "core/analysis/soundness/multicast_dependencies.h"
#include "core/engines/engines.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/generators.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

Fabric dragonfly(const char* spec, std::uint8_t lmc) {
  FabricBuilder builder(generate_dragonfly(parse_number_lists(spec).and_then(DragonflySpec::from).value()).value());
  EXPECT_TRUE(builder.assign_lids(lmc, FabricBuilder::Numbering::kRenumber).has_value());
  return std::move(builder).build().value();
}

void expect_sound_multicast(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine(engine, {})->route(tree).value();
  ASSERT_TRUE(routing.lanes.has_value());
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  const SharedTrunks shared = share_trunks(tree, routing.tables, *routing.lanes, support);
  EXPECT_TRUE(shared.unsound.empty()) << engine;
  ASSERT_EQ(shared.by_component.size(), 1U);
  for (const SwitchId s : fabric.switches()) EXPECT_TRUE(shared.by_component.begin()->second.contains(s));
}

TEST(SharedTrunks, close_no_loop_with_unicast_on_dragonflies) {
  expect_sound_multicast(dragonfly("2,4,2,9", 0), "dragonfly");
  expect_sound_multicast(dragonfly("2,4,2,9", 2), "dragonfly-rlm");
  expect_sound_multicast(dragonfly("3,6,3,19", 0), "dragonfly");
}

TEST(SharedTrunks, trees_from_all_roots_together_would_close_a_loop) {
  const Fabric fabric = dragonfly("2,4,2,9", 0);
  const FatTree tree = rank(fabric).value();
  const Routing routing = make_engine("dragonfly", {})->route(tree).value();
  const IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kYes);
  ChannelDependencies graph(fabric, routing.tables, *routing.lanes);
  for (const SwitchId root : fabric.switches()) {
    const Trunk trunk = grow_shortest_trunk(tree, root, support);
    std::vector<ChannelId> links;
    for (const SwitchId s : fabric.switches())
      if (s != root) links.push_back(fabric.channel(s, trunk.steps[s].port));
    add_multicast_dependencies(fabric, *routing.lanes, links, 0, graph);
  }
  EXPECT_FALSE(find_virtual_credit_loop(graph).empty());
}

}  // namespace
}  // namespace espalier
