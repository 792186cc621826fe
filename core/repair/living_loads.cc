// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/living_loads.h"

#include <algorithm>
#include <utility>

#include "core/repair/prepared_reference.h"

namespace espalier {
namespace {

// Flows on channels. Above this many the first of them are taken out at once: they take more memory than the loads do.
constexpr std::size_t kMostLater = std::size_t{1} << 20;

using OnChannel = std::pair<ChannelId, ClassLoads::Flow>;

void sort_by_channel(const std::vector<OnChannel>& flows, std::size_t num_channels, ClassLoads::Without& sorted) {
  sorted.first.assign(num_channels + 1, 0);
  for (const auto& [c, flow] : flows) ++sorted.first[index(c) + 1];
  for (std::size_t c = 0; c < num_channels; ++c) sorted.first[c + 1] += sorted.first[c];
  std::vector<std::uint32_t> next(sorted.first.begin(), sorted.first.end() - 1);
  sorted.flows.resize(flows.size());
  for (const auto& [c, flow] : flows) sorted.flows[next[index(c)]++] = flow;
}

}  // namespace

ClassLoads LivingLoads::of(const PreparedReference& reference, const Survivors& alive) {
  Ghosts gone = ghosts(reference, alive);
  if (gone == Ghosts{}) return reference.loads().view();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_ || gone != of_) {
    last_ = nullptr;  // its memory first
    last_ = std::make_shared<const ClassLoads::Without>(without(reference, gone));
    of_ = std::move(gone);
  }
  return ClassLoads::view(last_);
}

LivingLoads::Ghosts LivingLoads::ghosts(const PreparedReference& reference, const Survivors& alive) {
  Ghosts gone;
  for (std::uint32_t x = 0; x < reference.leaves().size(); ++x)
    if (alive.now[reference.leaves()[x]] == kNoSwitch) gone.leaves.push_back(x);
  for (std::size_t lid = 1; lid < reference.num_lids(); ++lid)
    if (reference.is_host_lid(lid) && alive.lid_now[lid] == kNoLid)
      gone.lids.push_back(static_cast<std::uint32_t>(lid));
  return gone;
}

ClassLoads::Without LivingLoads::without(const PreparedReference& reference, const Ghosts& ghosts) {
  ClassLoads::Without fewer{reference.loads().view(), {}, {}};
  const auto& leaves = reference.leaves();
  std::vector<OnChannel> later;
  std::vector<ChannelId> path;
  const auto take_out = [&](std::uint32_t x, std::size_t lid) {
    if (leaves[x] == reference.destination(lid) || !reference.path(leaves[x], lid, path)) return;
    for (const ChannelId c : path) later.emplace_back(c, reference.flow(x, lid));
    if (later.size() < kMostLater) return;
    for (const auto& [c, flow] : later) fewer.loads.remove(c, flow);
    later.clear();
  };
  for (const std::uint32_t lid : ghosts.lids)
    for (std::uint32_t x = 0; x < leaves.size(); ++x) take_out(x, lid);
  for (std::size_t lid = 1; !ghosts.leaves.empty() && lid < reference.num_lids(); ++lid)
    if (reference.is_host_lid(lid) && !std::binary_search(ghosts.lids.begin(), ghosts.lids.end(), lid))
      for (const std::uint32_t x : ghosts.leaves) take_out(x, lid);
  sort_by_channel(later, reference.fabric().num_channels(), fewer);
  return fewer;
}

}  // namespace espalier
