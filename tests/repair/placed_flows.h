// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The broken flows of a repair on the paths that its tables give them now, to test what moves them afterwards.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/repair/broken/broken_flows.h"
#include "core/repair/new_paths/closed_form.h"
#include "core/repair/reference/class_loads.h"
#include "tests/repair/begun_repair.h"

namespace espalier::test {

// Each open entry gets the port of pick(channels that lead closer, LID), whatever these carry.
template <class Pick>
void fill_open_entries(BegunRepair& repair, Pick pick) {
  const PreparedReference& reference = repair.state.prepared;
  std::vector<ChannelId> closer;
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const SwitchId s : repair.open.at(i)) {
      const std::size_t lid = repair.open.columns[i];
      closer.clear();
      for_each_closer_channel(repair.state, s, reference.destination(lid), [&](ChannelId c) { closer.push_back(c); });
      repair.state.set(s, lid, reference.fabric().port(pick(closer, lid)));
    }
}

// The loads of all flows, these on their new paths. Each has to have one.
inline ClassLoads loads_of(const BegunRepair& repair, const BrokenFlows& flows) {
  const PreparedReference& reference = repair.state.prepared;
  ClassLoads loads = reference.living_loads(repair.alive);
  std::vector<ChannelId> path;
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const std::uint32_t leaf : flows.to(i)) {
      const std::size_t lid = repair.open.columns[i];
      if (reference.path(reference.leaves()[leaf], lid, path))
        for (const ChannelId c : path) loads.remove(c, reference.flow(leaf, lid));
      EXPECT_TRUE(repair.state.find_path(reference.leaves()[leaf], lid, path));
      for (const ChannelId c : path) loads.add(c, reference.flow(leaf, lid));
    }
  return loads;
}

// Those with is_full(channel, flow) somewhere on their path.
template <class IsFull>
LargeVector<StrainedFlow> flows_over(const BegunRepair& repair, const BrokenFlows& flows, IsFull is_full) {
  const PreparedReference& reference = repair.state.prepared;
  LargeVector<StrainedFlow> found;
  std::vector<ChannelId> path;
  for (std::uint32_t i = 0; i < repair.open.columns.size(); ++i)
    for (const std::uint32_t leaf : flows.to(i)) {
      const std::size_t lid = repair.open.columns[i];
      repair.state.find_path(reference.leaves()[leaf], lid, path);
      if (std::ranges::any_of(path, [&](ChannelId c) { return is_full(c, reference.flow(leaf, lid)); }))
        found.push_back({i, leaf, false});
    }
  return found;
}

}  // namespace espalier::test
