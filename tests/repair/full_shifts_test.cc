// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/full_shifts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/faults.h"
#include "core/repair/detours/rejoin.h"
#include "core/repair/new_paths/path_chooser.h"
#include "core/repair/repair.h"
#include "tests/repair/begun_repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Flows under each shift by hosts on a channel that counts these, from the tables as they are; empty: it does not.
std::vector<std::vector<std::uint8_t>> flows_by_shift(const test::BegunRepair& repair, const ClassLoads& loads) {
  const PreparedReference& reference = repair.state.prepared;
  const std::uint32_t of_leaf = loads.hosts_of_leaf();
  const std::size_t num_hosts = reference.leaves().size() * of_leaf;
  std::vector<std::vector<std::uint8_t>> flows(reference.fabric().num_channels());
  for (std::size_t c = 0; c < flows.size(); ++c)
    if (reference.far(id_at<ChannelId>(c)) != kNoSwitch && loads.counts_hosts(id_at<ChannelId>(c)))
      flows[c].resize(num_hosts);
  std::vector<ChannelId> path;
  for (std::size_t lid = 1; lid < reference.num_lids(); ++lid)
    for (std::size_t x = 0; reference.is_host_lid(lid) && x < reference.leaves().size(); ++x) {
      if (!repair.state.find_path(reference.leaves()[x], lid, path)) continue;
      for (const ChannelId c : path)
        for (std::size_t i = 0; i < of_leaf && !flows[index(c)].empty(); ++i)
          ++flows[index(c)][(reference.host_place(lid) + num_hosts - x * of_leaf - i) % num_hosts];
    }
  return flows;
}

// Channels and shifts with more flows than one above the limit. Loads of what is left have to be those of the tables.
std::size_t count_full(const test::BegunRepair& repair, const ClassLoads& loads) {
  std::size_t full = 0;
  const auto flows = flows_by_shift(repair, loads);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const ChannelId c = id_at<ChannelId>(i);
    if (!repair.state.is_left(c)) continue;
    for (std::uint32_t shift = 0; shift < flows[i].size(); ++shift) {
      const unsigned count = flows[i][shift];
      full += count > repair.state.limit(c) + 1U ? 1 : 0;
      EXPECT_FALSE(loads.is_above_by_host(c, shift, count)) << i << " " << shift;
      EXPECT_TRUE(count == 0 || loads.is_above_by_host(c, shift, count - 1)) << i << " " << shift;
    }
  }
  return full;
}

TEST(FullShifts, LeaveChannelsAndLoadsAreThoseOfTheTables) {
  const Fabric whole = test::pgft("3;12,8,24;1,8,2;1,1,1");
  const PreparedReference reference(test::reference_by(whole, "dmodc"));
  ASSERT_EQ(reference.loads().hosts_of_leaf(), 12);
  for (const std::uint64_t seed : {8801, 8802}) {
    const Fabric now = degrade(whole, {.links = 30, .seed = seed}).value();
    test::BegunRepair repair(reference, now);
    PathChooser chooser(repair.state, repair.open);
    chooser.run();
    ASSERT_TRUE(rejoin(repair.state, repair.open, chooser.loads()));
    const std::size_t before = count_full(repair, chooser.loads());
    FullShifts(repair.state, repair.open.columns, chooser.loads()).run();
    EXPECT_LT(count_full(repair, chooser.loads()), before);
    EXPECT_TRUE(verify(now, repair.tables.whole()).ok());
  }
}

}  // namespace
}  // namespace espalier
