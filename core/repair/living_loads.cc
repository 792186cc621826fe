// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/living_loads.h"

#include <algorithm>
#include <utility>

#include "core/repair/prepared_reference.h"

namespace espalier {

std::shared_ptr<const ClassLoads> LivingLoads::of(const PreparedReference& reference, const Survivors& alive) {
  Ghosts gone = ghosts(reference, alive);
  // Nobody is: those of the reference, which is not ours to delete.
  if (gone == Ghosts{}) return {std::shared_ptr<const ClassLoads>(), &reference.loads()};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_ || gone != of_) {
    last_ = nullptr;  // its memory first
    last_ = std::make_shared<const ClassLoads>(without(reference, gone));
    of_ = std::move(gone);
  }
  return last_;
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

ClassLoads LivingLoads::without(const PreparedReference& reference, const Ghosts& ghosts) {
  ClassLoads loads = reference.loads().view();
  const auto& leaves = reference.leaves();
  std::vector<ChannelId> path;
  const auto take_out = [&](std::uint32_t x, std::size_t lid) {
    if (leaves[x] == reference.destination(lid) || !reference.path(leaves[x], lid, path)) return;
    for (const ChannelId c : path) loads.remove(c, reference.flow(x, lid));
  };
  for (const std::uint32_t lid : ghosts.lids)
    for (std::uint32_t x = 0; x < leaves.size(); ++x) take_out(x, lid);
  for (std::size_t lid = 1; !ghosts.leaves.empty() && lid < reference.num_lids(); ++lid)
    if (reference.is_host_lid(lid) && !std::binary_search(ghosts.lids.begin(), ghosts.lids.end(), lid))
      for (const std::uint32_t x : ghosts.leaves) take_out(x, lid);
  return loads;
}

}  // namespace espalier
