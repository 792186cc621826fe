// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/lost_pairs.h"

#include <algorithm>

#include "core/base/sort_unique.h"
#include "core/repair/detours/mended_turns.h"

namespace espalier {

LostPairs::LostPairs(WorkingState& state, const OpenEntries& open, LostTurns moves)
    : state_(state),
      open_(open),
      prepared_(state.prepared),
      fabric_(prepared_.fabric()),
      without_path_to_(fabric_.num_switches()) {
  find_lost_paths();
  if (prepared_.is_oriented())
    if (const std::vector<Turn> turns = turns_with_other_cables(state_); !turns.empty())
      move_to_other_cables(state_, turns, own_order());
  if (moves == LostTurns::kNone || !have_lost_turns(state_, moves)) return;
  if (moves == LostTurns::kOfUnmended) mended_ = mend_turns(state_, own_order());
  moved_ = move_turns(state_, moves, mended_, own_order());
}

std::vector<std::uint32_t> LostPairs::lids() const {
  std::vector<std::uint32_t> lids;
  add_lids_of_moved_turns(lids);
  for (std::uint32_t column = 0; column < open_.columns.size(); ++column)
    if (needs(column)) lids.push_back(open_.columns[column]);
  sort_unique(lids);
  return lids;
}

ChannelOrder& LostPairs::own_order() {
  if (!own_order_) {
    own_order_.emplace(prepared_.order());
    for (const ChannelId c : IdRange<ChannelId>(fabric_.num_channels()))
      if (prepared_.far(c) != kNoSwitch && state_.alive.channel[c] == 0) own_order_->remove(c);
  }
  return *own_order_;
}

void LostPairs::find_lost_paths() {
  if (!prepared_.is_oriented()) return;
  for (const SwitchId s : fabric_.switches()) {
    if (!state_.costs.has_changed(s) || !state_.is_alive(s)) continue;
    const Hops* const now = state_.costs.cost_row(s);
    const auto before = prepared_.costs().cost_row(s);
    for (const SwitchId t : fabric_.switches())
      if (now[index(t)] == kUnreachable && before[index(t)] != kUnreachable) without_path_to_[t].push_back(s);
  }
}

// Whether anybody in the reference's column turns at this leaf.
bool LostPairs::turns_at(SwitchId leaf, std::size_t lid, SwitchId t) const {
  if (leaf == t) return false;
  for (const PortGroup& up : prepared_.tree().up_groups(leaf)) {
    if (!state_.is_alive(up.remote) || state_.reaches(up.remote, t)) continue;
    const ChannelId c = state_.channel(up.remote, state_.reference_entry(up.remote, lid));
    if (c != kNoChannel && prepared_.far(c) == leaf) return true;
  }
  return false;
}

// LIDs that turn at a leaf whose turns have moved.
void LostPairs::add_lids_of_moved_turns(std::vector<std::uint32_t>& lids) const {
  for (std::size_t lid = 1; !moved_.empty() && lid < prepared_.num_lids(); ++lid) {
    const SwitchId t = prepared_.destination(lid);
    if (t == kNoSwitch || !state_.is_alive(t) || state_.alive.lid_now[lid] == kNoLid) continue;
    if (std::any_of(moved_.begin(), moved_.end(), [&](SwitchId leaf) { return turns_at(leaf, lid, t); }))
      lids.push_back(static_cast<std::uint32_t>(lid));
  }
}

// Whether something in this column has to be looked at: an entry on a lost link of a pair without an up-down path,
// or a new entry behind one of a pair without, which now turns where the reference does not.
bool LostPairs::needs(std::uint32_t column) const {
  if (!prepared_.is_oriented() || open_.lost_detour[column] != 0) return true;
  const std::size_t lid = open_.columns[column];
  const SwitchId t = prepared_.destination(lid);
  const auto turns_anew = [&](SwitchId s) {
    if (s == t || state_.entry(s, lid) == state_.reference_entry(s, lid)) return false;
    for (const PortGroup& up : prepared_.tree().up_groups(s)) {
      if (!state_.is_alive(up.remote) || state_.reaches(up.remote, t)) continue;
      const ChannelId down = state_.channel(up.remote, state_.reference_entry(up.remote, lid));
      if (down == kNoChannel || prepared_.far(down) != s) continue;
      if (!order().has(down, state_.entry(s, lid))) return true;
    }
    return false;
  };
  const auto opened = open_.at(column);
  return std::any_of(opened.begin(), opened.end(), turns_anew) ||
         std::any_of(open_.shed[column].begin(), open_.shed[column].end(),
                     [&](std::uint32_t leaf) { return turns_anew(prepared_.leaves()[leaf]); });
}

}  // namespace espalier
