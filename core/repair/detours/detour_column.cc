// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/detour_column.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace espalier {

DetourColumn::DetourColumn(WorkingState& state, const LostPairs& pairs)
    : state_(state),
      prepared_(state.prepared),
      pairs_(pairs),
      suspects_(state, pairs),
      passable_(state, pairs),
      joined_(prepared_.fabric().num_switches()),
      hops_(prepared_.fabric().num_switches()),
      own_(prepared_.fabric().num_switches(), kNoChannel),
      followers_(prepared_.fabric().num_switches(), kNoSwitch),
      next_follower_(prepared_.fabric().num_switches()) {}

void DetourColumn::start(std::size_t lid) {
  lid_ = lid;
  t_ = prepared_.destination(lid);
  passable_.set_destination(t_);
  ++column_;
  lost_.clear();
  for (const SwitchId s : followed_) followers_[s] = kNoSwitch;
  followed_.clear();
  news_.clear();
  notes_news_ = false;
  if (suspects_.find(lid)) {
    consider(suspects_.found());
  } else if (prepared_.is_oriented()) {
    find_unreached();
    consider(unreached_);
  } else {
    consider(prepared_.fabric().switches());
  }
  num_missing_ = missing_.size();
  // Behind those that have joined from the start.
  std::ranges::copy_if(followed_, std::back_inserter(changed_), Joined(*this));
  keep();
  misses_bottom_ = std::ranges::any_of(missing(), [&](SwitchId s) { return prepared_.is_bottom(s); });
}

// Who has no up-down path to the destination: the same for all its LIDs.
void DetourColumn::find_unreached() {
  if (std::exchange(unreached_to_, t_) == t_) return;
  const auto before = prepared_.unreached(t_);
  const auto lost = pairs_.without_path_to(t_);
  unreached_.resize(before.size() + lost.size());
  std::merge(before.begin(), before.end(), lost.begin(), lost.end(), unreached_.begin());
}

// They count as missing until their paths of the reference turn out to be whole. Notes who follows whom on these, and who has
// lost its link. REQUIRES: they are ascending.
template <class Switches>
void DetourColumn::consider(const Switches& switches) {
  const std::uint32_t component = state_.alive.component[t_];
  std::size_t size = 0;
  missing_.resize(switches.size());
  for (const SwitchId s : switches) {
    if (s == t_) continue;
    const ChannelId own = own_[s] = state_.channel(s, state_.reference_entry(s, lid_));
    if (state_.alive.component[s] != component) {  // one that is lost is in none with others
      if (state_.is_alive(s) && !may_stay(s)) write(s, kNoPort);
      continue;
    }
    missing_[size++] = s;
    joined_[s] = column_ << 1;  // not yet
    if (own == kNoChannel) {
      lost_.push_back(s);
      continue;
    }
    const SwitchId next = prepared_.far(own);
    if (followers_[next] == kNoSwitch) followed_.push_back(next);
    next_follower_[s] = std::exchange(followers_[next], s);
  }
  missing_.resize(size);
}

// Of one that has joined from the start.
unsigned DetourColumn::hops_from_start(SwitchId s) const {
  unsigned hops = 0;
  if (s != t_) {
    hops = state_.costs.cost(s, t_);
    if (hops == kUnreachable) hops = hops_of_reference(s);
  }
  note_hops(s, hops);
  return hops;
}

void DetourColumn::note_hops(SwitchId s, unsigned hops) const {
  joined_[s] = column_ << 1 | 1;
  hops_[s] = hops;
}

// Those of one whose path of the reference is whole.
unsigned DetourColumn::hops_of_reference(SwitchId s) const {
  for (unsigned hops = 0; hops < kMostHops; ++hops) {
    if (state_.reaches(s, t_)) return hops + state_.costs.cost(s, t_);
    const ChannelId c = state_.channel(s, state_.reference_entry(s, lid_));
    if (c == kNoChannel) break;
    s = prepared_.far(c);
  }
  return kUnreachable;
}

const std::vector<SwitchId>& DetourColumn::missing() {
  if (missing_.size() != num_missing_) std::erase_if(missing_, Joined(*this));
  return missing_;
}

const std::vector<SwitchId>& DetourColumn::lost() {
  std::erase_if(lost_, Joined(*this));
  return lost_;
}

// Whether s may go on sending what arrives nowhere: over a link that is left, and no turn that has moved.
bool DetourColumn::may_stay(SwitchId s) const {
  if (own(s) == kNoChannel) return false;
  const SwitchId next = prepared_.far(own(s));
  const PortNum out = state_.reference_entry(next, lid_);
  return state_.channel(next, out) == kNoChannel || pairs_.order().has(own(s), out);
}

// s, which was missing, joins.
void DetourColumn::join(SwitchId s, unsigned hops) {
  note_hops(s, hops);
  --num_missing_;
  note_change(s);
}

// s has joined, or sends by another port than before.
void DetourColumn::note_change(SwitchId s) {
  changed_.push_back(s);
  if (notes_news_) news_.push_back(s);
}

void DetourColumn::write(SwitchId s, PortNum port) {
  written_.push_back({s, static_cast<std::uint32_t>(lid_), state_.entry(s, lid_)});
  state_.set(s, lid_, port);
}

void DetourColumn::undo() {
  for (; !written_.empty(); written_.pop_back())
    state_.set(written_.back().s, written_.back().lid, written_.back().before);
}

void DetourColumn::keep() {
  while (!changed_.empty()) {
    const SwitchId next = changed_.back();
    changed_.pop_back();
    for (SwitchId s = followers_[next]; s != kNoSwitch; s = next_follower_[s])
      if (!has_joined(s) && is_allowed(own(s))) join(s, hops_left(next) + 1);
  }
}

void DetourColumn::take(SwitchId s, ChannelId channel) {
  write(s, prepared_.fabric().port(channel));
  join(s, hops_left(prepared_.far(channel)) + 1);
}

void DetourColumn::change(SwitchId s, ChannelId channel) {
  write(s, prepared_.fabric().port(channel));
  note_hops(s, hops_left(prepared_.far(channel)) + 1);
  note_change(s);
}

bool DetourColumn::suits_those_behind(SwitchId s, PortNum port) const {
  const SwitchId next = prepared_.far(prepared_.fabric().channel(s, port));
  for (SwitchId from = followers_[s]; from != kNoSwitch; from = next_follower_[from])
    if (from != next && !has_joined(from) && !pairs_.order().has(own(from), port)) return false;
  return true;
}

bool DetourColumn::may_leave_by(SwitchId s, PortNum port) const {
  for (const ChannelId back : prepared_.channels(s)) {
    if (!state_.is_left(back)) continue;
    const SwitchId from = prepared_.far(back);
    if (!has_joined(from)) continue;
    const ChannelId in = state_.channel_of(from, lid_);
    if (in != kNoChannel && prepared_.far(in) == s && !pairs_.order().has(in, port)) return false;
  }
  return true;
}

bool DetourColumn::leads_by(ChannelId channel, SwitchId s) const {
  for (;; channel = next(channel)) {
    if (prepared_.far(channel) == s) return true;
    if (prepared_.far(channel) == t_) return false;
  }
}

}  // namespace espalier
