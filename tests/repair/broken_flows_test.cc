// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken/broken_flows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/fabric/faults.h"
#include "tests/repair/begun_repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

// By definition: switch by switch along the reference's tables.
bool is_broken(const WorkingState& state, std::span<const SwitchId> open, SwitchId s, std::size_t lid) {
  for (std::size_t hops = 0; s != state.prepared.destination(lid); ++hops) {
    if (hops > state.prepared.fabric().num_switches() || std::ranges::find(open, s) != open.end()) return true;
    const ChannelId c = state.channel(s, state.reference_entry(s, lid));
    if (c == kNoChannel) return true;
    s = state.prepared.far(c);
  }
  return false;
}

// The number of broken flows.
std::size_t expect_all(const PreparedReference& reference, const Fabric& now) {
  const test::BegunRepair repair(reference, now);
  const WorkingState& state = repair.state;
  const OpenEntries& open = repair.open;
  const BrokenFlows flows(state, open);
  std::size_t count = 0;
  for (std::size_t i = 0; i < open.columns.size(); ++i) {
    const std::size_t lid = open.columns[i];
    std::vector<std::uint32_t> leaves;
    for (const SwitchId x : reference.leaves())
      if (reference.is_host_lid(lid) && !open.at(i).empty() && state.is_alive(x) &&
          state.reaches(x, reference.destination(lid)) && is_broken(state, open.at(i), x, lid))
        leaves.push_back(reference.leaf(x));
    EXPECT_TRUE(std::ranges::equal(flows.to(i), leaves)) << "to LID " << lid;
    count += leaves.size();
  }
  EXPECT_EQ(flows.count(), count);
  return count;
}

TEST(BrokenFlows, are_those_whose_paths_pass_open_entries) {
  for (const char* spec : {"2;6,8;1,4;1,2", "3;4,6,6;1,6,2;1,2,1", "3;8,6,10;1,8,3;1,1,1"}) {
    const Fabric whole = test::pgft(spec);
    for (const char* engine : {"dmodc", "randsp"}) {
      const PreparedReference reference(test::reference_by(whole, engine));
      std::size_t broken = 0;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        broken += expect_all(reference, degrade(whole, {.links = 3, .endports = 1, .seed = seed}).value());
        broken += expect_all(reference, degrade(whole, {.links = 2, .switches = 1, .seed = seed}).value());
        broken += expect_all(reference, without_switch(whole, reference.leaves()[seed % reference.leaves().size()]));
      }
      EXPECT_GT(broken, 100U);
    }
  }
}

}  // namespace
}  // namespace espalier
