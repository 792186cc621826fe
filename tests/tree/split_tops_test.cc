// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/split_tops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::switch_named;
using testing::HasSubstr;

Result<SplitTree> split(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  return split_tops(tree, UpDownCosts(tree));
}

// Both tops above four middles, of which M0 and M1 lead to L0 and L1, M2 and M3 to L2 and L3.
Fabric two_ways_down() {
  return test::draw(
      "L0:2 L1:2 L2:2 L3:2 ; M0 M1 M2 M3 ; T0 T1 ; L0-M0 L0-M1 L1-M0 L1-M1 L2-M2 L2-M3 L3-M2 L3-M3 "
      "M0-T0 M0-T1 M1-T0 M1-T1 M2-T0 M2-T1 M3-T0 M3-T1");
}

TEST(SplitTops, HaveOneWayDownToEachLeaf) {
  const Fabric fabric = two_ways_down();
  const auto parts = split(fabric);
  ASSERT_TRUE(parts) << parts.error().text();
  ASSERT_EQ(parts->tree.num_levels(), 3U);
  std::map<SwitchId, std::vector<std::set<SwitchId>>> children;  // of each part of a top, by the whole
  for (const SwitchId s : parts->fabric->switches()) {
    if (!parts->tree.up_groups(s).empty()) continue;
    EXPECT_EQ(parts->fabric->at(s).lid, kNoLid);
    std::set<SwitchId>& below = children[parts->whole[s]].emplace_back();
    for (const PortGroup& g : parts->tree.down_groups(s)) below.insert(parts->whole[g.remote]);
  }
  const std::set<SwitchId> first{switch_named(fabric, "M0"), switch_named(fabric, "M2")};
  const std::set<SwitchId> second{switch_named(fabric, "M1"), switch_named(fabric, "M3")};
  EXPECT_THAT(children, testing::UnorderedElementsAre(
                            testing::Pair(switch_named(fabric, "T0"), testing::ElementsAre(first, second)),
                            testing::Pair(switch_named(fabric, "T1"), testing::ElementsAre(first, second))));
}

// Every link is there once, at the ports where it was, and end ports keep their LIDs.
TEST(SplitTops, KeepLinksPortsAndHosts) {
  for (const char* spec : {"3;2,1,4;1,1,2;1,2,1", "3;4,2,4;1,2,2;1,2,1", "3;9,3,6;1,1,6;1,3,1"}) {
    const Fabric fabric = test::generated("qft", spec);
    const auto parts = split(fabric);
    ASSERT_TRUE(parts) << spec << ": " << parts.error().text();
    std::set<std::tuple<SwitchId, PortNum>> seen;
    for (const SwitchId s : parts->fabric->switches())
      for (const PortNum p : parts->fabric->ports(s)) {
        const Peer& peer = parts->fabric->peer(s, p);
        if (peer.kind == Peer::Kind::kNone) continue;
        EXPECT_TRUE(seen.insert({parts->whole[s], p}).second) << spec;
        const Peer& was = fabric.peer(parts->whole[s], p);
        ASSERT_EQ(peer.kind, was.kind) << spec;
        EXPECT_EQ(peer.port, was.port) << spec;
        if (peer.is_switch()) {
          EXPECT_EQ(parts->whole[peer.as_switch()], was.as_switch()) << spec;
        }
      }
    std::size_t cabled = 0;
    for (const SwitchId s : fabric.switches())
      for (const PortNum p : fabric.ports(s)) cabled += fabric.peer(s, p).kind == Peer::Kind::kNone ? 0U : 1U;
    EXPECT_EQ(seen.size(), cabled) << spec;
    for (const EndportId e : fabric.endports()) {
      EXPECT_EQ(parts->fabric->at(e).port_guid, fabric.at(e).port_guid) << spec;
      EXPECT_EQ(parts->fabric->at(e).lid, fabric.at(e).lid) << spec;
    }
  }
}

TEST(SplitTops, AreTheTreeItselfWhereThereIsOneWayAlready) {
  const Fabric fabric = test::three_level_tree();
  const auto parts = split(fabric);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->whole.size(), fabric.num_switches());
  EXPECT_EQ(parts->fabric->at(switch_named(fabric, "T0")).lid, fabric.at(switch_named(fabric, "T0")).lid);
}

TEST(SplitTops, DeclineWhatWouldPartHosts) {
  EXPECT_TRUE(split(test::pgft("1;3;1;1"))) << "one leaf, no top";
  const Fabric whole = two_ways_down();
  const SwitchId top = switch_named(whole, "T0");
  for (std::size_t p = 1; p <= 4; ++p) {
    const auto refused = split(without_link(whole, top, id_at<PortNum>(p)));
    ASSERT_FALSE(refused) << p;
    EXPECT_THAT(refused.error().message, HasSubstr("(T0) has fewer paths down to "));
  }
  const Fabric fabric = test::draw("L0:2 L1:2 ; S0:1 ; L0-S0 L1-S0");
  const FatTree tree = *rank(fabric, {{fabric.at(switch_named(fabric, "S0")).guid}, {}});
  const auto refused = split_tops(tree, UpDownCosts(tree));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("(S0) is a top switch with hosts attached"));
}

}  // namespace
}  // namespace espalier
