// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/suspects.h"

#include <algorithm>

namespace espalier {
namespace {

constexpr std::size_t kLooks = 3;  // at entries of senders, in the time that it takes to follow one path

// Nobody's path is cut off for good.
bool is_in_one_piece(const WorkingState& state) {
  const Fabric& fabric = state.prepared.fabric();
  std::uint32_t component = 0;
  bool is_first = true;
  for (const SwitchId s : fabric.switches()) {
    if (!state.is_alive(s)) continue;
    if (!is_first && state.alive.component[s] != component) return false;
    component = state.alive.component[s];
    is_first = false;
  }
  return true;
}

}  // namespace

Suspects::Suspects(const WorkingState& state, const LostPairs& pairs)
    : state_(state),
      pairs_(pairs),
      // In tables that are not sound by themselves anybody's path can be broken.
      may_search_(state.prepared.is_oriented() && state.prepared.is_whole() && state.prepared.is_sound() &&
                  is_in_one_piece(state)),
      found_in_(state.prepared.fabric().num_switches()) {}

bool Suspects::find(std::size_t lid) {
  lid_ = lid;
  t_ = state_.prepared.destination(lid);
  ++search_;
  found_.clear();
  looks_ = kLooks * state_.prepared.unreached(t_).size();
  if (!may_search_ || pairs_.with_lost_entry(lid).size() + pairs_.without_path_to(t_).size() > looks_) return false;
  for (const SwitchId s : pairs_.with_lost_entry(lid)) add(s);
  for (const SwitchId s : pairs_.without_path_to(t_)) add(s);
  // Those who come to these are often as many again.
  std::size_t least = 0;
  for (const SwitchId s : found_) least += 2 * state_.prepared.channels(s).size();
  if (least > looks_) return false;
  const auto senders_are_few = [&](SwitchId s) { return add_senders_to(s); };
  if (!pairs_.all_of_changed_at(lid, senders_are_few)) return false;
  for (std::size_t i = 0; i < found_.size(); ++i)
    if (!add_senders_to(found_[i])) return false;
  std::ranges::sort(found_);
  return true;
}

void Suspects::add(SwitchId s) {
  if (found_in_[s] == search_ || s == t_ || !state_.is_alive(s) || state_.reaches(s, t_)) return;
  found_in_[s] = search_;
  found_.push_back(s);
}

// False: they are too many.
bool Suspects::add_senders_to(SwitchId next) {
  const PreparedReference& prepared = state_.prepared;
  const IdRange<ChannelId> channels = prepared.channels(next);
  if (channels.size() > looks_) return false;
  looks_ -= channels.size();
  for (const ChannelId back : channels) {
    if (!state_.is_left(back)) continue;
    const SwitchId s = prepared.far(back);
    const ChannelId c = state_.channel(s, state_.reference_entry(s, lid_));
    if (c != kNoChannel && prepared.far(c) == next) add(s);
  }
  return true;
}

}  // namespace espalier
