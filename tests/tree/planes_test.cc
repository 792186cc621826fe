// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/planes.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/fabric/generators/pgft.h"
#include "core/fabric/generators/site_changes.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

Fabric shuffled(const PgftSpec& spec, std::size_t swapped_uplinks) {
  return *change(*generate_pgft(spec),
                 {.guids = SiteChanges::Guids::kShuffled, .swapped_uplinks = swapped_uplinks, .seed = 1007});
}

// How many switches of level 1 are in each plane, by how many of these there are.
std::map<std::size_t, std::size_t> sizes_of_planes(const FatTree& tree) {
  const auto plane = planes(tree);
  std::map<SwitchId, std::size_t> members;
  for (const SwitchId s : tree.fabric().switches())
    if (tree.level(s) == Level{1}) ++members[plane[s]];
  std::map<std::size_t, std::size_t> sizes;
  for (const auto& [_, size] : members) ++sizes[size];
  return sizes;
}

using Sizes = std::map<std::size_t, std::size_t>;

TEST(Planes, HaveOneSwitchOfEachPodWhateverTheGuids) {
  const Fabric fabric = shuffled({3, {6, 4, 5}, {1, 4, 3}, {1, 1, 1}}, 0);
  EXPECT_EQ(sizes_of_planes(*rank(fabric)), (Sizes{{5, 4}}));
}

TEST(Planes, AreRecognizedThroughPlanesAboveThem) {
  const Fabric fabric = shuffled({4, {2, 3, 3, 3}, {1, 3, 2, 2}, {1, 1, 1, 1}}, 0);
  EXPECT_EQ(sizes_of_planes(*rank(fabric)), (Sizes{{9, 3}}));
}

TEST(Planes, OutliveSwappedLinks) {
  const Fabric fabric = shuffled({3, {6, 4, 5}, {1, 4, 3}, {1, 1, 1}}, 2);
  EXPECT_EQ(sizes_of_planes(*rank(fabric)), (Sizes{{5, 4}}));
}

TEST(Planes, AreOneWhereAllHaveTheSameParents) {
  const Fabric fabric = shuffled({2, {6, 4}, {1, 4}, {1, 1}}, 0);
  const auto plane = planes(*rank(fabric));
  std::set<SwitchId> different;
  for (const SwitchId s : fabric.switches()) different.insert(plane[s]);
  EXPECT_EQ(different.size(), 5U);  // of four spines one each, of the leaves one
}

}  // namespace
}  // namespace espalier
