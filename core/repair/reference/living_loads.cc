// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/living_loads.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "core/repair/reference/prepared_reference.h"

namespace espalier {
namespace {

// Flows on channels. Above this many the first of them are taken out at once: they take more memory than the loads do.
constexpr std::size_t kMostLater = std::size_t{1} << 20;

using OnChannel = std::pair<ChannelId, ClassLoads::Flow>;

void add_by_channel(const std::vector<OnChannel>& flows, ClassLoads::Without& fewer) {
  const std::size_t num_channels = fewer.first.size() - 1;
  ClassLoads::Without more{{}, std::vector<std::uint32_t>(num_channels + 1, 0), {}};
  for (const auto& [c, flow] : flows) ++more.first[index(c) + 1];
  for (std::size_t c = 0; c < num_channels; ++c)
    more.first[c + 1] += more.first[c] + fewer.first[c + 1] - fewer.first[c];
  more.flows.resize(flows.size() + fewer.flows.size());
  std::vector<std::uint32_t> next(num_channels);
  for (std::size_t c = 0; c < num_channels; ++c) {
    std::copy(fewer.flows.begin() + fewer.first[c], fewer.flows.begin() + fewer.first[c + 1],
              more.flows.begin() + more.first[c]);
    next[c] = more.first[c] + fewer.first[c + 1] - fewer.first[c];
  }
  for (const auto& [c, flow] : flows) more.flows[next[index(c)]++] = flow;
  fewer.first = std::move(more.first);
  fewer.flows = std::move(more.flows);
}

void remove_at_once(std::vector<OnChannel>& flows, ClassLoads::Without& fewer) {
  for (const auto& [c, flow] : flows) fewer.loads.remove(c, flow);
  flows.clear();
  for (std::size_t c = 0; c + 1 < fewer.first.size(); ++c)
    for (std::uint32_t i = fewer.first[c]; i < fewer.first[c + 1]; ++i)
      fewer.loads.remove(id_at<ChannelId>(c), fewer.flows[i]);
  std::fill(fewer.first.begin(), fewer.first.end(), 0);
  fewer.flows.clear();
}

// Those of `all` that are not in `some`, both ascending.
std::vector<std::uint32_t> others(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
  std::vector<std::uint32_t> found;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(found));
  return found;
}

bool is_in(const std::vector<std::uint32_t>& sorted, std::size_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

}  // namespace

ClassLoads LivingLoads::of(const PreparedReference& reference, const Survivors& alive) {
  Ghosts gone = ghosts(reference, alive);
  if (gone == Ghosts{}) return reference.loads().view();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_ || gone != of_) {
    const auto includes = [](const auto& all, const auto& some) {
      return std::includes(all.begin(), all.end(), some.begin(), some.end());
    };
    const bool is_ours = last_.use_count() == 1;          // no view of another repair,
    std::atomic_thread_fence(std::memory_order_acquire);  // which has read all that it wanted
    if (!is_ours || !includes(gone.leaves, of_.leaves) || !includes(gone.lids, of_.lids)) {
      last_.reset();  // its memory first
      const std::size_t num_channels = reference.fabric().num_channels();
      last_ = std::make_shared<ClassLoads::Without>(
          ClassLoads::Without{reference.loads().view(), std::vector<std::uint32_t>(num_channels + 1, 0), {}});
      of_ = {};
    }
    take_out(reference, of_, gone, *last_);
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

void LivingLoads::take_out(const PreparedReference& reference, const Ghosts& before, const Ghosts& gone,
                           ClassLoads::Without& fewer) {
  const auto& leaves = reference.leaves();
  std::vector<OnChannel> later;
  std::vector<ChannelId> path;
  const auto take_out_flow = [&](std::uint32_t x, std::size_t lid) {
    if (leaves[x] == reference.destination(lid) || !reference.path(leaves[x], lid, path)) return;
    for (const ChannelId c : path) later.emplace_back(c, reference.flow(x, lid));
    if (later.size() + fewer.flows.size() >= kMostLater) remove_at_once(later, fewer);
  };
  // To each host that is gone now, and from each leaf.
  for (const std::uint32_t lid : others(gone.lids, before.lids))
    for (std::uint32_t x = 0; x < leaves.size(); ++x)
      if (!is_in(before.leaves, x)) take_out_flow(x, lid);
  const std::vector<std::uint32_t> new_leaves = others(gone.leaves, before.leaves);
  for (std::size_t lid = 1; !new_leaves.empty() && lid < reference.num_lids(); ++lid)
    if (reference.is_host_lid(lid) && !is_in(gone.lids, lid))
      for (const std::uint32_t x : new_leaves) take_out_flow(x, lid);
  add_by_channel(later, fewer);
}

}  // namespace espalier
