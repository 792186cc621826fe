// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/full_shifts.h"

#include <algorithm>

#include "core/repair/broken/open_entries.h"

namespace espalier {
namespace {

// 432 lost links of 10 800 take some hundred.
constexpr std::size_t kMostLooks = 4096;
constexpr std::size_t kMostFailures = 256;

}  // namespace

FullShifts::FullShifts(WorkingState& state, const std::vector<std::uint32_t>& columns, ClassLoads& loads)
    : state_(state), prepared_(state.prepared), columns_(columns), loads_(loads) {}

void FullShifts::run() {
  if (loads_.hosts_of_leaf() == 0) return;
  const std::vector<Full> all = find();
  if (all.empty()) return;
  const FlatLists<std::uint32_t> lids = lids_by_place();
  std::size_t looks = 0, failures = 0;
  for (const Full& full : all) {
    if (!loads_.is_above_by_host(full.channel, full.shift, limit(full.channel))) continue;
    if (++looks > kMostLooks || failures > kMostFailures) return;
    find_passing(full, lids);
    failures += relieve(full) ? 0 : 1;
  }
}

// One more than that of a choice, as for flows that are shed.
unsigned FullShifts::limit(ChannelId c) const { return state_.limit(c) + 1; }

std::vector<FullShifts::Full> FullShifts::find() const {
  std::vector<Full> found;
  for (const ChannelId c : IdRange<ChannelId>(prepared_.fabric().num_channels()))
    loads_.for_each_above_by_host(c, limit(c), [&](std::uint32_t shift) { found.push_back({c, shift}); });
  return found;
}

FlatLists<std::uint32_t> FullShifts::lids_by_place() const {
  return FlatLists<std::uint32_t>(prepared_.leaves().size() * loads_.hosts_of_leaf(), [&](const auto& add) {
    for (std::size_t lid = 1; lid < prepared_.num_lids(); ++lid)
      if (prepared_.is_host_lid(lid) && state_.alive.lid_now[lid] != kNoLid)
        add(prepared_.host_place(lid), static_cast<std::uint32_t>(lid));
  });
}

// The flows on this channel under this shift.
void FullShifts::find_passing(const Full& full, const FlatLists<std::uint32_t>& lids) {
  const std::uint32_t of_leaf = loads_.hosts_of_leaf();
  const auto num_hosts = static_cast<std::uint32_t>(lids.num_lists());
  const SwitchId near = prepared_.fabric().source(full.channel);
  const bool is_up = prepared_.group(full.channel) < prepared_.tree().up_groups(near).size();
  passing_.clear();
  // Upward the sources are below, downward the destinations.
  for (const SwitchId x : prepared_.leaves_below(is_up ? near : prepared_.far(full.channel)))
    for (std::uint32_t i = 0; i < of_leaf; ++i) {
      const std::uint32_t place = prepared_.leaf(x) * of_leaf + i;
      const std::uint32_t from = is_up ? place : (place + num_hosts - full.shift) % num_hosts;
      const std::uint32_t leaf = from / of_leaf;
      if (!state_.is_alive(prepared_.leaves()[leaf])) continue;
      for (const std::uint32_t lid : lids.at((from + full.shift) % num_hosts))
        if (state_.channel_of(near, lid) == full.channel && passes(prepared_.leaves()[leaf], lid, full.channel))
          passing_.push_back({leaf, lid});
    }
}

bool FullShifts::passes(SwitchId s, std::size_t lid, ChannelId channel) const {
  const SwitchId t = prepared_.destination(lid);
  const SwitchId near = prepared_.fabric().source(channel);
  for (std::size_t hops = 0; s != t && hops < kMostHops; ++hops) {
    const ChannelId c = state_.channel_of(s, lid);
    if (c == channel || c == kNoChannel) return c == channel;
    s = prepared_.far(c);
    if (state_.costs.down_cost(near, s) == kUnreachable) return false;  // beside it, or below others
  }
  return false;
}

// False: it is too full still.
bool FullShifts::relieve(const Full& full) {
  for (const bool is_written_anyway : {true, false})
    for (const Passing& passing : passing_)
      if (state_.is_written(prepared_.leaves()[passing.leaf], passing.lid) == is_written_anyway && move(passing) &&
          !loads_.is_above_by_host(full.channel, full.shift, limit(full.channel)))
        return true;
  return false;
}

// By the first other port of its leaf behind which there is room. False: there is none.
bool FullShifts::move(const Passing& passing) {
  const SwitchId x = prepared_.leaves()[passing.leaf];
  if (!may_change(x, passing.lid) || !state_.find_path(x, passing.lid, old_path_)) return false;
  find_closer(state_, x, prepared_.destination(passing.lid), places_);
  const CloserChannels all(prepared_, x, places_);
  const ClassLoads::Flow flow = prepared_.flow(passing.leaf, passing.lid);
  for (const ChannelId c : old_path_) loads_.remove(c, flow);
  std::size_t own = 0;
  while (own < all.size() && all[own] != old_path_.front()) ++own;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const ChannelId first = all[(own + i) % all.size()];
    path_.assign(1, first);
    if (!state_.append_path(prepared_.far(first), passing.lid, path_) || !fits(flow)) continue;
    for (const ChannelId c : path_) loads_.add(c, flow);
    state_.set(x, passing.lid, prepared_.fabric().port(first));
    return true;
  }
  for (const ChannelId c : old_path_) loads_.add(c, flow);
  return false;
}

// Whether the entry is that of x's own hosts alone.
bool FullShifts::may_change(SwitchId x, std::size_t lid) const {
  return prepared_.is_bottom(x) && std::ranges::binary_search(columns_, lid) && prepared_.odd(lid).empty() &&
         std::ranges::none_of(prepared_.channels_in_order(x), [&](ChannelId c) {
           const SwitchId above = state_.far_left(c);
           if (above == kNoSwitch) return false;
           const ChannelId back = state_.channel_of(above, lid);
           return back != kNoChannel && prepared_.far(back) == x;
         });
}

// Whether there is room for the flow on all channels of the path.
bool FullShifts::fits(ClassLoads::Flow flow) const {
  return std::ranges::all_of(path_, [&](ChannelId c) {
    return loads_.counts_hosts(c) ? !loads_.is_above_by_hosts(c, flow, limit(c) - 1)
                                  : loads_.has_room(c, flow, state_.limit(c));
  });
}

}  // namespace espalier
