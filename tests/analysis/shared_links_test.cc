// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/shared_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

// The definition, pair by pair.
std::uint64_t slow_collisions(const HostRoutes& routes, std::size_t a, std::size_t b, bool to) {
  const auto path = [&](std::size_t from, std::size_t dest) {
    std::set<ChannelId> channels;
    if (!routes.follow(routes.leaf(from), dest, [&](ChannelId c) { channels.insert(c); })) channels.clear();
    return channels;
  };
  std::uint64_t count = 0;
  for (std::size_t x = 0; x < routes.num_hosts(); ++x)
    for (std::size_t y = 0; y < routes.num_hosts(); ++y) {
      if (x == a || y == b || x == y) continue;
      const std::set<ChannelId> first = to ? path(x, a) : path(a, x);
      const std::set<ChannelId> second = to ? path(y, b) : path(b, y);
      count += std::any_of(first.begin(), first.end(), [&](ChannelId c) { return second.contains(c); }) ? 1U : 0U;
    }
  return count;
}

TEST(SharedLinks, AreCountedAsPairByPair) {
  for (const char* spec : {"2;3,3;1,2;1,1", "3;2,2,2;1,2,2;1,1,1", "2;4,3;1,2;1,2"}) {
    const Fabric fabric = pgft(spec);
    const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
    for (std::size_t a = 0; a < routes.num_hosts(); ++a) {
      const std::size_t b = (a + 1) % routes.num_hosts();
      EXPECT_EQ(links_shared_to(routes, a, b).num_colliding, slow_collisions(routes, a, b, true)) << spec;
      EXPECT_EQ(links_shared_from(routes, a, b).num_colliding, slow_collisions(routes, a, b, false)) << spec;
    }
  }
}

TEST(SharedLinks, ToTwoHostsOverDifferentSpinesAreNone) {
  const Fabric fabric = draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1");
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  const SharedLinks shared = links_shared_to(routes, 2, 3);
  EXPECT_TRUE(shared.channels.empty());
  EXPECT_EQ(shared.num_colliding, 0U);
  EXPECT_EQ(shared.num_pairs, 7U);  // 3 x 3 pairs, 2 of which have one sender
}

TEST(SharedLinks, ToTwoHostsOverOneSpineAreAllOfTheirWay) {
  const Fabric fabric = draw("L0:2 L1:2 ; L0-S0 L1-S0");
  const HostRoutes routes(fabric, route_shortest(fabric), all_endports(fabric));
  const SharedLinks shared = links_shared_to(routes, 2, 3);
  ASSERT_EQ(shared.channels.size(), 2U);
  EXPECT_EQ(shared.channels[0].flows_a, 2U);
  EXPECT_EQ(shared.channels[0].flows_b, 2U);
  EXPECT_EQ(shared.num_colliding, 2U);  // (h0, h1) and (h1, h0)
}

}  // namespace
}  // namespace espalier::test
