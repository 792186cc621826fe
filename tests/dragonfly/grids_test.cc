// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Groups of Cascade by cabling alone: whole and damaged, with GUIDs in any order; and what is no dragonfly although it is
// made of grids.
#include "core/dragonfly/grids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/dragonfly/communities.h"
#include "core/dragonfly/detect.h"
#include "core/dragonfly/missing_links.h"
#include "core/fabric/faults.h"
#include "tests/dragonfly/group_name.h"
#include "tests/support/fabrics.h"
#include "tests/support/shuffled_guids.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::generated;
using test::group_name;
using test::with_shuffled_guids;

// Whether switches are in one group where their names say so.
bool groups_are_right(const Dragonfly& dragonfly) {
  std::map<std::string, std::set<std::uint32_t>> groups;
  for (const SwitchId s : dragonfly.fabric().switches())
    groups[group_name(dragonfly.fabric(), s)].insert(dragonfly.group(s));
  if (groups.size() != dragonfly.num_groups()) return false;
  return std::all_of(groups.begin(), groups.end(), [](const auto& group) { return group.second.size() == 1; });
}

// Draws of these many links, of which groups are found and right.
std::size_t num_right(const Fabric& whole, std::size_t links, std::uint64_t num_draws) {
  std::size_t right = 0;
  for (std::uint64_t seed = 1001; seed < 1001 + num_draws; ++seed) {
    const Fabric fabric = with_shuffled_guids(*degrade(whole, {.links = links, .seed = seed}), seed);
    const Result<Dragonfly> dragonfly = recognize_dragonfly(fabric);
    right += dragonfly && groups_are_right(*dragonfly);
  }
  return right;
}

TEST(Grids, AreFoundInWholeCascades) {
  for (const char* spec : {"2,6,2,9;2,3,1,1", "2,9,2,10;3,3,1,1", "2,12,2,8;3,4,1,1", "2,12,2,24;3,4,1,1",
                           "4,24,4,20;4,6,1,1", "4,48,6,12;6,8,1,2", "2,24,2,20;2,12,1,1"})
    EXPECT_EQ(num_right(generated("dragonfly", spec), 0, 3), 3U) << spec;
}

TEST(Grids, AreFoundWithoutSomeLinks) {
  for (const char* spec : {"2,12,2,8;3,4,1,1", "2,12,2,24;3,4,1,1", "2,24,2,6;4,6,1,2", "4,24,4,20;4,6,1,1"}) {
    const Fabric whole = generated("dragonfly", spec);
    for (const std::size_t links : {std::size_t{1}, std::size_t{10}, whole.num_switch_links() / 20})
      EXPECT_GE(num_right(whole, links, 10), 9U) << spec << " without " << links;
  }
}

// Each router is cabled to the same places of h groups, which are cabled to each other, and h + 1 is a row's length or more:
// columns of these groups are grids of more modularity than groups.
TEST(Grids, AreFoundWherePlacesOfManyGroupsAreAllCabled) {
  for (const char* spec : {"4,16,4,9;4,4,1,1", "4,9,4,10;3,3,1,1", "4,12,4,9;3,4,1,1", "3,9,3,10;3,3,1,1"}) {
    const Fabric whole = generated("dragonfly", spec);
    for (const std::size_t links : {std::size_t{0}, std::size_t{1}, std::size_t{10}, whole.num_switch_links() / 50})
      EXPECT_GE(num_right(whole, links, 10), 9U) << spec << " without " << links;
  }
}

TEST(Grids, AreFoundWithoutARouterInEachOfSomeGroups) {
  const Fabric whole = generated("dragonfly", "2,12,2,24;3,4,1,1");
  Removal removal;
  for (const std::uint32_t s : {3U, 40U, 110U, 200U}) removal.switches.push_back(SwitchId{s});
  const Fabric fabric = without(whole, removal);
  const Result<Dragonfly> dragonfly = recognize_dragonfly(fabric);
  ASSERT_TRUE(dragonfly.has_value()) << dragonfly.error().text();
  EXPECT_TRUE(groups_are_right(*dragonfly));
}

// Their planes are grids, in each direction.
TEST(Grids, OfAHyperXAreNoGroups) {
  for (const char* spec : {"4,4,4;1", "3,4,5;1", "6,6,4;1", "3,3,3,3;1", "2,3,4,4;1", "4,4,9;1"})
    for (const std::size_t links : {0U, 5U}) {
      const Fabric fabric = degrade(generated("hyperx", spec), {.links = links, .seed = 1001}).value();
      EXPECT_FALSE(find_grids(CablingGraph(fabric)).has_value()) << spec << " without " << links;
    }
}

TEST(Grids, AreNotFoundInOtherFabrics) {
  for (const auto& [kind, spec] : {std::pair{"torus", "3,3,4,1"},
                                   {"torus", "4,4,4,1"},
                                   {"jellyfish", "60,11,10"},
                                   {"slimfly", "5,4"},
                                   {"pgft", "2;4,4;1,4;1,1"},
                                   {"dragonfly", "3,6,3,19"},
                                   {"megafly", "9;2,4,4;4"}})
    EXPECT_FALSE(find_grids(CablingGraph(generated(kind, spec))).has_value()) << kind << " " << spec;
}

// Only pairs of one row or column can miss a link.
TEST(Grids, MissTheLinksThatTheyLost) {
  const Fabric whole = generated("dragonfly", "2,6,2,9;2,3,1,1");
  EXPECT_TRUE(find_missing_links(recognize_dragonfly(whole).value()).local.empty());
  const Dragonfly shape = recognize_dragonfly(whole).value();
  std::size_t port = 1;
  while (shape.port_class(SwitchId{0}, id_at<PortNum>(port)) != PortClass::kLocal) ++port;
  const Fabric fabric = without_link(whole, SwitchId{0}, id_at<PortNum>(port));
  EXPECT_EQ(find_missing_links(recognize_dragonfly(fabric).value()).local.size(), 1U);
}

TEST(Communities, AreJoinedWhereModularityGains) {
  const Fabric fabric = generated("dragonfly", "4,24,4,20;4,6,1,1");
  const CablingGraph graph(fabric);
  const GroupOfSwitch alone = joined_by(graph, [](std::size_t) { return false; });
  const GroupOfSwitch moved = move_switches(graph, alone), joined = join_groups(graph, alone);
  EXPECT_LT(modularity(graph, alone), modularity(graph, moved));
  EXPECT_LT(modularity(graph, moved), modularity(graph, joined));
  EXPECT_GT(modularity(graph, joined), modularity_by_chance(graph));
}

}  // namespace
}  // namespace espalier
