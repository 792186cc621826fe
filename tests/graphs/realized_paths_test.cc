// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/realized_paths.h"

#include <gtest/gtest.h>

#include "core/fabric/fabric_builder.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Around the ring by the lower or the higher port: LID offset 0 one way, 1 the other way.
ForwardingTables around(const Fabric& fabric, bool second_way_back) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const EndportId e : fabric.endports())
    for (std::size_t k = 0; k < 2; ++k) {
      const Endport& host = fabric.at(e);
      const Lid lid = lid_at_offset(host.lid, k);
      SwitchId at = host.leaf;
      SwitchId before = host.leaf;
      tables.set(at, lid, host.leaf_port);
      for (std::size_t hops = 1; hops < fabric.num_switches(); ++hops) {
        std::vector<SwitchId> next;
        for (const PortNum p : fabric.ports(at))
          if (const Peer& peer = fabric.peer(at, p); peer.is_switch() && peer.as_switch() != before)
            next.push_back(peer.as_switch());
        const SwitchId to = k == 1 && second_way_back && hops == 1 ? next.back() : next.front();
        for (const PortNum p : fabric.ports(to))
          if (const Peer& peer = fabric.peer(to, p); peer.is_switch() && peer.as_switch() == at) tables.set(to, lid, p);
        before = at;
        at = to;
      }
    }
  return tables;
}

Fabric ring_with_two_lids() {
  FabricBuilder builder(test::ring_of_five());
  EXPECT_TRUE(builder.assign_lids(1, FabricBuilder::Numbering::kRenumber).has_value());
  return std::move(builder).build().value();
}

std::vector<EndportId> hosts_of(const Fabric& fabric) {
  std::vector<EndportId> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back(e);
  return hosts;
}

TEST(RealizedPaths, both_ways_around_a_ring_are_all_there_is) {
  const Fabric fabric = ring_with_two_lids();
  const RealizedPaths paths = realized_paths(fabric, around(fabric, true), hosts_of(fabric), 1000);
  EXPECT_EQ(paths.k, 2U);
  EXPECT_EQ(paths.pairs, 20U);
  EXPECT_EQ(paths.requested, 40U);
  EXPECT_EQ(paths.realized, 40U);
}

TEST(RealizedPaths, the_same_path_twice_is_one) {
  const Fabric fabric = ring_with_two_lids();
  const RealizedPaths paths = realized_paths(fabric, around(fabric, false), hosts_of(fabric), 1000);
  EXPECT_EQ(paths.distinct, 20U);
  EXPECT_EQ(paths.share(), 0.5);
}

}  // namespace
}  // namespace espalier
