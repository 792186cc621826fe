// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Loads without the flows of hosts that are gone are those of the flows that are left, whoever was gone before.
#include "core/repair/reference/living_loads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/fabric/faults.h"
#include "core/repair/repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::reference_by;

constexpr std::size_t kParts = 8;  // of the 16 hosts of a leaf

// Flow by flow along the reference's tables, from nothing: per channel and shift by parts of a leaf.
std::vector<std::vector<unsigned>> counted(const PreparedReference& reference, const Survivors& alive) {
  const std::size_t num_leaves = reference.leaves().size();
  std::vector<std::vector<unsigned>> loads(reference.fabric().num_channels(),
                                           std::vector<unsigned>((num_leaves + 1) * kParts));
  std::vector<ChannelId> path;
  for (std::size_t lid = 1; lid < reference.num_lids(); ++lid) {
    if (!reference.is_host_lid(lid) || alive.lid_now[lid] == kNoLid) continue;
    const std::size_t to = reference.leaf(reference.destination(lid));
    for (std::uint32_t from = 0; from < num_leaves; ++from) {
      if (from == to || alive.now[reference.leaves()[from]] == kNoSwitch) continue;
      if (!reference.path(reference.leaves()[from], lid, path)) continue;
      const std::size_t first = reference.flow(from, lid)[0];
      for (const ChannelId c : path)
        for (std::size_t i = first; i < first + kParts; ++i) ++loads[index(c)][i];
    }
  }
  return loads;
}

// Under the shifts of some flows from the first leaf.
void expect_counted(const PreparedReference& reference, const Fabric& now) {
  const Survivors alive = find_survivors(reference.fabric(), now);
  const ClassLoads loads = reference.living_loads(alive);
  const auto wanted = counted(reference, alive);
  for (std::size_t lid = 1; lid < reference.num_lids(); lid += 7) {
    if (!reference.is_host_lid(lid)) continue;
    const ClassLoads::Flow flow = reference.flow(0, lid);
    for (const ChannelId c : IdRange<ChannelId>(reference.fabric().num_channels())) {
      if (reference.far(c) == kNoSwitch) continue;
      const auto first = wanted[index(c)].begin() + flow[0];
      const unsigned most = *std::max_element(first, first + kParts);
      ASSERT_FALSE(loads.is_above(c, flow, most)) << "channel " << index(c);
      ASSERT_TRUE(most == 0 || loads.is_above(c, flow, most - 1)) << "channel " << index(c);
    }
  }
}

TEST(LivingLoads, AreThoseOfTheFlowsThatAreLeft) {
  // Large enough for loads by parts of leaves.
  const Fabric whole = test::pgft("3;16,16,12;1,16,12;1,1,1");
  const PreparedReference reference(reference_by(whole, "dmodc"));
  const auto leaf_of = [&](std::size_t host) { return whole.at(id_at<EndportId>(host)).leaf; };
  const auto without_leaf = [&](const Fabric& fabric, std::size_t host) {
    return without_switch(fabric, fabric.find_switch(whole.at(leaf_of(host)).guid));
  };
  const Fabric one_less = without_leaf(whole, 100);
  const Fabric two_less = without_leaf(one_less, 200);
  const Fabric other_less = without_leaf(whole, 200);
  const Fabric hosts_less = degrade(one_less, {.endports = 5, .seed = 1001}).value();
  const Fabric half = degrade(whole, {.endports = whole.num_endports() / 2, .seed = 1002}).value();
  const Fabric half_and_leaf = without_leaf(half, 100);
  for (const Fabric* now :
       {&one_less, &hosts_less, &one_less, &two_less, &whole, &half, &half_and_leaf, &other_less, &two_less})
    expect_counted(reference, *now);
}

// Whatever was repaired before, the tables are the same.
TEST(LivingLoads, LeaveNoHistory) {
  const Fabric whole = test::pgft("3;3,4,6;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const auto damaged = [&](std::uint64_t seed) {
    const Fabric less = without_switch(whole, whole.at(id_at<EndportId>(seed % whole.num_endports())).leaf);
    return degrade(less, {.links = 4, .endports = 2, .seed = seed}).value();
  };
  for (std::uint64_t seed = 3001; seed < 3021; ++seed) {
    const Fabric now = damaged(seed);
    ASSERT_TRUE(patch(reference, damaged(seed + 500)));
    const ForwardingTables after_another = patch(reference, now).value().tables.whole();
    EXPECT_EQ(after_another, patch(PreparedReference(reference.reference()), now).value().tables.whole())
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace espalier
