// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/lost_pairs.h"

#include <algorithm>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/sort_unique.h"
#include "core/repair/broken/lids_by_port.h"
#include "core/repair/detours/mended_turns.h"

namespace espalier {

SwitchLists find_lost_paths(const WorkingState& state) {
  const PreparedReference& prepared = state.prepared;
  const std::size_t num_switches = prepared.fabric().num_switches();
  const ByteBlock unreachable(kUnreachable);  // the highest
  LargeVector<std::pair<std::uint32_t, SwitchId>> pairs;
  for (const SwitchId s : prepared.fabric().switches()) {
    if (!prepared.is_oriented() || !state.costs.has_changed(s) || !state.is_alive(s)) continue;
    const Hops* const now = state.costs.cost_row(s);
    const Hops* const before = prepared.costs().cost_row(s).data();
    for (std::size_t block = 0; block < num_switches; block += ByteBlock::kSize)
      (less(ByteBlock::load(before + block), unreachable) & equal(ByteBlock::load(now + block), unreachable))
          .for_each_set([&](std::size_t i) { pairs.emplace_back(static_cast<std::uint32_t>(block + i), s); });
  }
  return SwitchLists(num_switches, [&](const auto& add) {
    for (const auto& [t, s] : pairs) add(t, s);
  });
}

LostPairs::LostPairs(WorkingState& state, const OpenEntries& open, const SwitchLists& lost_paths, LostTurns moves)
    : state_(state), open_(open), prepared_(state.prepared), fabric_(prepared_.fabric()), lost_paths_(lost_paths) {
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

// LIDs of others that the switch above sends to this leaf, though it has no up-down path to them: who turns there.
void LostPairs::mark_turns(SwitchId above, PortNum port, SwitchId leaf, std::vector<std::uint8_t>& marks) const {
  for_each_lid_by(prepared_.reference().tables.row(above).first(marks.size()), port, [&](std::size_t lid) {
    const SwitchId t = prepared_.destination(lid);
    if (t != kNoSwitch && t != leaf && !state_.reaches(above, t)) marks[lid] = 1;
  });
}

// LIDs that turn at a leaf whose turns have moved.
void LostPairs::add_lids_of_moved_turns(std::vector<std::uint32_t>& lids) const {
  if (moved_.empty()) return;
  std::vector<std::uint8_t> marks(prepared_.num_lids());
  for (const SwitchId leaf : moved_)
    for (const PortGroup& up : prepared_.tree().up_groups(leaf))
      for (const PortNum port : prepared_.tree().ports(up))
        if (const PortNum back = fabric_.peer(leaf, port).port; state_.channel(up.remote, back) != kNoChannel)
          mark_turns(up.remote, back, leaf, marks);
  for (std::size_t lid = 1; lid < marks.size(); ++lid)
    if (marks[lid] != 0 && state_.is_alive(prepared_.destination(lid)) && state_.alive.lid_now[lid] != kNoLid)
      lids.push_back(static_cast<std::uint32_t>(lid));
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
  return std::ranges::any_of(open_.at(column), turns_anew) ||
         std::ranges::any_of(open_.shed.at(column),
                             [&](std::uint32_t leaf) { return turns_anew(prepared_.leaves()[leaf]); });
}

}  // namespace espalier
