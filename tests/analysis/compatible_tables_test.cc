// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Against all states in between, one by one, on fabrics that are small enough for that.
#include "core/analysis/soundness/compatible_tables.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/fabric_builder.h"
#include "tests/analysis/fill_tables.h"
#include "tests/analysis/random_fabric.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::below;
using test::Random;

// A ring of switches with a host each.
Fabric ring(std::size_t size) {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> switches;
  std::size_t lid = 1;
  for (std::size_t i = 0; i < size; ++i) {
    Switch s;
    s.guid = id_at<Guid>(i + 1);
    s.lid = id_at<Lid>(lid++);
    s.num_ports = 3;
    switches.push_back(builder.add_switch(s));
  }
  for (std::size_t i = 0; i < size; ++i) {
    Endport e;
    e.node_guid = e.port_guid = id_at<Guid>(100 + i);
    e.lid = id_at<Lid>(lid++);
    builder.connect(switches[i], PortNum{3}, builder.add_endport(e), {});
    builder.connect(switches[i], PortNum{1}, switches[(i + 1) % size], PortNum{2}, {});
  }
  return std::move(builder).build().value();
}

// All around the ring but over the link from `cut` to the next: sound, and another routing for each `cut`.
ForwardingTables without_link(const Fabric& fabric, std::size_t cut) {
  const std::size_t size = fabric.num_switches();
  ForwardingTables tables(size, fabric.top_lid());
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
      const LidOwner owner = fabric.owner(id_at<Lid>(lid));
      const SwitchId t = fabric.destination_switch(id_at<Lid>(lid));
      const auto place = [&](SwitchId x) { return (index(x) + size - cut - 1) % size; };
      const PortNum here = owner.kind == LidOwner::Kind::kSwitch ? kManagementPort : PortNum{3};
      tables.set(s, id_at<Lid>(lid), s == t ? here : place(t) > place(s) ? PortNum{1} : PortNum{2});
    }
  return tables;
}

using Places = std::vector<std::pair<SwitchId, Lid>>;

Places differences(const Fabric& fabric, const ForwardingTables& before, const ForwardingTables& after) {
  Places places;
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid < before.width(); ++lid)
      if (before.at(s, id_at<Lid>(lid)) != after.at(s, id_at<Lid>(lid))) places.emplace_back(s, id_at<Lid>(lid));
  return places;
}

ForwardingTables state_between(const ForwardingTables& before, const ForwardingTables& after, const Places& places,
                               std::uint64_t which) {
  ForwardingTables tables = before;
  for (std::size_t i = 0; i < places.size(); ++i)
    if ((which >> i & 1U) != 0)
      tables.set(places[i].first, places[i].second, after.at(places[i].first, places[i].second));
  return tables;
}

TEST(CompatibleTables, AreNotTwoWaysAroundARing) {
  const Fabric fabric = ring(4);
  const ForwardingTables a = without_link(fabric, 0), b = without_link(fabric, 1);
  ASSERT_TRUE(verify(fabric, a).ok());
  ASSERT_TRUE(verify(fabric, b).ok());
  EXPECT_TRUE(are_compatible(fabric, a, a));
  EXPECT_FALSE(are_compatible(fabric, a, b));
  // Rightly: with some blocks there and others not, packets circle or can wait for each other.
  const Places places = differences(fabric, a, b);
  ASSERT_LE(places.size(), 12U);
  bool any_bad = false;
  for (std::uint64_t which = 0; which < std::uint64_t{1} << places.size(); ++which)
    any_bad = any_bad || !verify(fabric, state_between(a, b, places, which)).ok();
  EXPECT_TRUE(any_bad);
}

// Where the answer is yes, every state in between is sound; nobody is told no for nothing on a tree.
TEST(CompatibleTables, AreSoundInEveryStateBetween) {
  Random random(1001);
  std::size_t compatible = 0, incompatible = 0;
  for (int round = 0; round < 400; ++round) {
    const Fabric fabric = ring(3 + below(random, 3));
    const ForwardingTables before = without_link(fabric, below(random, fabric.num_switches()));
    const ForwardingTables other = without_link(fabric, below(random, fabric.num_switches()));
    const Places all = differences(fabric, before, other);
    if (all.empty()) continue;
    // A part of the way to the other tables, if that part is sound.
    const ForwardingTables after = state_between(before, other, all, random());
    if (!verify(fabric, after).ok()) continue;
    const Places places = differences(fabric, before, after);
    if (places.size() > 10) continue;
    const bool answer = are_compatible(fabric, before, after);
    (answer ? compatible : incompatible) += 1;
    if (!answer) continue;
    for (std::uint64_t which = 0; which < std::uint64_t{1} << places.size(); ++which)
      ASSERT_TRUE(verify(fabric, state_between(before, after, places, which)).ok()) << "round " << round;
  }
  EXPECT_GT(compatible, 10U);
  EXPECT_GT(incompatible, 10U);
}

TEST(CompatibleTables, AreAllUpDownRoutesOfATree) {
  const Fabric fabric = test::pgft("2;4,4;1,2;1,1");
  const ForwardingTables before = test::route_shortest(fabric, 0), after = test::route_shortest(fabric, 1);
  ASSERT_FALSE(differences(fabric, before, after).empty());
  ASSERT_TRUE(verify(fabric, before).ok());
  ASSERT_TRUE(verify(fabric, after).ok());
  EXPECT_TRUE(are_compatible(fabric, before, after));
}

}  // namespace
}  // namespace espalier
