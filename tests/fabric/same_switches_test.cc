// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/same_switches.h"

#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

TEST(SameSwitches, are_those_with_the_same_GUIDs) {
  const Fabric whole = test::pgft("3;2,3,4;1,3,2;1,1,1");
  for (std::uint64_t seed = 1001; seed < 1021; ++seed) {
    const Fabric one = degrade(whole, {.switches = 3, .seed = seed}).value();
    const Fabric other = degrade(whole, {.switches = seed % 3, .seed = seed + 50}).value();
    const IdVector<SwitchId, SwitchId> in_other = same_switches(one, other);
    ASSERT_EQ(in_other.size(), one.num_switches());
    for (const SwitchId s : one.switches()) EXPECT_EQ(in_other[s], other.find_switch(one.at(s).guid)) << seed;
  }
}

TEST(SameSwitches, have_the_same_links_where_these_join_the_same_ports) {
  const Fabric whole = test::pgft("2;2,3;1,2;1,2");
  const SwitchId first{0};
  for (const PortNum port : whole.ports(first)) {
    const Peer& peer = whole.peer(first, port);
    EXPECT_EQ(is_same_link(peer, peer, same_switches(whole, whole)), peer.is_switch()) << "hosts are not compared";
    if (!peer.is_switch()) continue;
    Peer elsewhere = peer;
    elsewhere.port = id_at<PortNum>(index(peer.port) + 1);
    EXPECT_FALSE(is_same_link(peer, elsewhere, same_switches(whole, whole)));
    EXPECT_FALSE(is_same_link(peer, Peer{}, same_switches(whole, whole)));
    EXPECT_FALSE(is_same_link(peer, peer, IdVector<SwitchId, SwitchId>(whole.num_switches(), kNoSwitch)));
  }
}

}  // namespace
}  // namespace espalier
