// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/dragonfly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "core/fabric/generators/generators.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;
using Arrangement = DragonflySpec::Arrangement;

Fabric made(const char* spec, Arrangement arrangement = Arrangement::kAbsolute) {
  DragonflySpec dragonfly = parse_number_lists(spec).and_then(DragonflySpec::from).value();
  dragonfly.arrangement = arrangement;
  dragonfly.seed = 2024;
  return generate_dragonfly(dragonfly).value();
}

// visit(s, its port, the switch behind it) for each link to a switch, from both sides.
template <class Visit>
void for_each_link(const Fabric& fabric, Visit&& visit) {
  for (const SwitchId s : fabric.switches())
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
      if (const Peer& peer = fabric.peer(s, id_at<PortNum>(p)); peer.is_switch()) visit(s, p, peer.as_switch());
}

using GroupPairs = std::map<std::pair<std::size_t, std::size_t>, unsigned>;
GroupPairs links_of_groups(const Fabric& fabric, std::size_t routers) {
  GroupPairs count;
  for_each_link(fabric, [&](SwitchId s, std::size_t, SwitchId t) {
    if (index(s) / routers != index(t) / routers) ++count[{index(s) / routers, index(t) / routers}];
  });
  return count;
}

const char* word_of(Arrangement arrangement) {
  return arrangement == Arrangement::kAbsolute   ? "absolute"
         : arrangement == Arrangement::kRelative ? "relative"
                                                 : "random";
}

class EveryArrangement : public testing::TestWithParam<Arrangement> {};

// Kim 2008: N = a p (a h + 1) hosts, radix p + a + h - 1, a link between any two groups.
TEST_P(EveryArrangement, JoinsAnyTwoGroupsByOneLinkAndUsesAllPorts) {
  const Fabric fabric = made("2,4,2,9", GetParam());
  EXPECT_EQ(fabric.num_endports(), 72U);
  EXPECT_EQ(fabric.num_switches(), 36U);
  EXPECT_EQ(fabric.num_switch_links(), 9U * 6 + 36);
  for (const SwitchId s : fabric.switches())
    for (std::size_t p = 1; p <= 7; ++p) EXPECT_NE(fabric.peer(s, id_at<PortNum>(p)).kind, Peer::Kind::kNone);
  const GroupPairs pairs = links_of_groups(fabric, 4);
  EXPECT_EQ(pairs.size(), 9U * 8);
  for (const auto& [pair, count] : pairs) EXPECT_EQ(count, 1U);
}

TEST_P(EveryArrangement, HasParallelLinksWhereGroupsAreFewAndLeavesTheSamePortsFree) {
  const Fabric fabric = made("2,4,2,4", GetParam());  // 8 global ports for 3 other groups: 2 each
  const GroupPairs pairs = links_of_groups(fabric, 4);
  EXPECT_EQ(pairs.size(), 12U);
  for (const auto& [pair, count] : pairs) EXPECT_EQ(count, 2U);
}

INSTANTIATE_TEST_SUITE_P(All, EveryArrangement,
                         testing::Values(Arrangement::kAbsolute, Arrangement::kRelative, Arrangement::kRandom),
                         [](const auto& test) { return word_of(test.param); });

TEST(Dragonfly, KnowsAbsoluteFromRelative) {
  // Group 2 of 5 with h = 2: absolute ports lead to 0, 1 | 3, 4; relative ones to 3, 4 | 0, 1.
  const auto behind_router_4 = [](Arrangement arrangement) {
    std::set<std::size_t> groups;
    for_each_link(made("1,2,2,5", arrangement), [&](SwitchId s, std::size_t, SwitchId t) {
      if (index(s) == 4 && index(t) / 2 != 2) groups.insert(index(t) / 2);
    });
    return groups;
  };
  EXPECT_THAT(behind_router_4(Arrangement::kAbsolute), testing::ElementsAre(0, 1));
  EXPECT_THAT(behind_router_4(Arrangement::kRelative), testing::ElementsAre(3, 4));
}

// Faizian 2018, 2.1.2: 15 groups of 6 x 16 routers with 48 ports; 5760 nodes; 960 global ports for 14 groups.
TEST(Dragonfly, BuildsEdison) {
  const Fabric fabric = made("4,96,10,15;6,16,1,3");
  EXPECT_EQ(fabric.num_endports(), 5760U);
  EXPECT_EQ(fabric.at(SwitchId{0}).num_ports, 4 + 15 + 15 + 10);
  const GroupPairs pairs = links_of_groups(fabric, 96);
  EXPECT_EQ(pairs.size(), 15U * 14);
  for (const auto& [pair, count] : pairs) EXPECT_EQ(count, 68U);
  std::map<std::size_t, unsigned> from_first;
  for_each_link(fabric, [&](SwitchId s, std::size_t, SwitchId t) {
    if (index(s) == 0 && index(t) < 96) ++from_first[index(t)];
  });
  EXPECT_EQ(from_first.size(), 15U + 5);
  EXPECT_EQ(from_first[15], 1U);
  EXPECT_EQ(from_first[80], 3U);
}

TEST(Dragonfly, TakesItsGlobalLinksFromAList) {
  DragonflySpec spec = parse_number_lists("1,2,2,3").and_then(DragonflySpec::from).value();
  spec.arrangement = Arrangement::kListed;
  spec.listed =
      parse_global_links("# group router group router\n0 0 1 1\n\n0 1 2 0 # second\n1 0 2 0\n", "list").value();
  std::set<std::array<std::size_t, 2>> pairs;
  for_each_link(generate_dragonfly(spec).value(), [&](SwitchId s, std::size_t, SwitchId t) {
    if (index(s) < index(t) && index(s) / 2 != index(t) / 2) pairs.insert({index(s), index(t)});
  });
  EXPECT_THAT(pairs, testing::ElementsAre(std::array<std::size_t, 2>{0, 3}, std::array<std::size_t, 2>{1, 4},
                                          std::array<std::size_t, 2>{2, 4}));

  spec.listed.push_back({1, 0, 1, 1});
  EXPECT_THAT(generate_dragonfly(spec).error().text(), HasSubstr("from group 1 to itself"));
  spec.listed.back() = {1, 0, 0, 2};
  EXPECT_THAT(generate_dragonfly(spec).error().text(), HasSubstr("there is no group 0 router 2"));
  spec.listed.back() = {2, 0, 0, 0};
  EXPECT_THAT(generate_dragonfly(spec).error().text(), HasSubstr("more than 2 global cables"));
  EXPECT_EQ(parse_global_links("0 0 1 1\n0 0 x 1\n", "list").error().line, 2);
  EXPECT_EQ(parse_global_links("0 0 1 1 5\n", "list").error().line, 1);
}

TEST(Dragonfly, SaysWhatCannotBeBuilt) {
  const auto error = [](const char* spec) {
    const auto fabric = test::generator("dragonfly").parse(spec).and_then(generate);
    return fabric ? "no error" : fabric.error().text();
  };
  EXPECT_THAT(error("2,4,2,10"), HasSubstr("8 global ports, too few for 9 other groups"));
  EXPECT_THAT(error("2,4,2"), HasSubstr("write \"p,a,h,g"));
  EXPECT_THAT(error("2,4,2,9;2,3,1,1"), HasSubstr("2 rows of 3 are not 4 routers"));
  EXPECT_THAT(error("200,60,2,9"), HasSubstr("at most 254"));
  EXPECT_THAT(error("60,60,60,60"), HasSubstr("unicast LIDs"));
}

}  // namespace
}  // namespace espalier
