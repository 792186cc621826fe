// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/detour_column.h"

#include <algorithm>
#include <utility>

namespace espalier {

DetourColumn::DetourColumn(WorkingState& state, const LostPairs& pairs)
    : state_(state),
      prepared_(state.prepared),
      pairs_(pairs),
      suspects_(state, pairs),
      passable_(state, pairs),
      places_(prepared_.fabric().num_switches()),
      followers_(prepared_.fabric().num_switches(), kNoSwitch),
      next_follower_(prepared_.fabric().num_switches()) {
  std::fill_n(places_.data(), places_.size(), Place{});
}

void DetourColumn::start(std::size_t lid) {
  lid_ = lid;
  t_ = prepared_.destination(lid);
  passable_.set_destination(t_);
  ++column_;
  missing_.clear();
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
  std::erase_if(missing_, [&](SwitchId s) { return !breaks_off(s) && follow(s); });
  if (!std::is_sorted(missing_.begin(), missing_.end())) std::sort(missing_.begin(), missing_.end());
  num_missing_ = missing_.size();
  note_missing();
}

// Who has no up-down path to the destination: the same for all its LIDs.
void DetourColumn::find_unreached() {
  if (std::exchange(unreached_to_, t_) == t_) return;
  const auto before = prepared_.unreached(t_);
  const auto lost = pairs_.without_path_to(t_);
  unreached_.resize(before.size() + lost.size());
  std::merge(before.begin(), before.end(), lost.begin(), lost.end(), unreached_.begin());
}

// They count as missing until their paths of the reference turn out to be whole.
template <class Switches>
void DetourColumn::consider(const Switches& switches) {
  std::size_t size = missing_.size();
  missing_.resize(size + switches.size());
  const std::uint32_t component = state_.alive.component[t_];
  for (const SwitchId s : switches) {
    if (!state_.is_alive(s) || s == t_) continue;
    Place& place = places_[index(s)];
    place.own = state_.channel(s, state_.reference_entry(s, lid_));
    if (state_.alive.component[s] != component) {
      if (!may_stay(s)) write(s, kNoPort);
      continue;
    }
    missing_[size++] = s;
    place.joined = column_ << 1;  // not yet
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
  places_[index(s)].joined = column_ << 1 | 1;
  return places_[index(s)].hops = hops;
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

// Who waits for whom, and who has lost its link.
void DetourColumn::note_missing() {
  lost_.clear();
  for (const SwitchId s : followed_) followers_[s] = kNoSwitch;
  followed_.clear();
  misses_bottom_ = false;
  for (const SwitchId s : missing_) {
    misses_bottom_ = misses_bottom_ || prepared_.is_bottom(s);
    if (own(s) == kNoChannel) {
      lost_.push_back(s);
      continue;
    }
    const SwitchId next = prepared_.far(own(s));
    if (followers_[next] == kNoSwitch) followed_.push_back(next);
    next_follower_[s] = std::exchange(followers_[next], s);
  }
}

void DetourColumn::join(SwitchId s, unsigned hops) {
  places_[index(s)].joined = column_ << 1 | 1;
  places_[index(s)].hops = hops;
}

// One that was missing joins behind the far end of this channel.
void DetourColumn::join_late(SwitchId s, ChannelId channel) {
  join(s, hops_left(prepared_.far(channel)) + 1);
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

// Whether the reference's path from s is known to end, here or at the next switch. Most of those on lost paths are two hops
// from a lost link at most.
bool DetourColumn::breaks_off(SwitchId s) {
  if (has_joined(s)) return false;
  Place& place = places_[index(s)];
  if (is_stuck(place)) return true;
  const SwitchId next = prepared_.far(place.own);
  if (has_joined(next) || !is_stuck(places_[index(next)])) return false;
  place.trace = column_;
  return true;
}

// Whether the reference's path from s is whole; all on it join.
bool DetourColumn::follow(SwitchId s) {
  path_.clear();
  while (!has_joined(s)) {
    Place& place = places_[index(s)];
    if (is_stuck(place)) break;
    place.trace = column_;
    path_.push_back(place.own);
    s = prepared_.far(place.own);
  }
  if (!has_joined(s)) return false;
  for (std::size_t i = path_.size(); i-- > 0;) {
    if (!is_allowed(path_[i])) return false;
    join(prepared_.fabric().source(path_[i]), hops_left(prepared_.far(path_[i])) + 1);
  }
  return true;
}

void DetourColumn::keep() {
  while (!changed_.empty()) {
    const SwitchId next = changed_.back();
    changed_.pop_back();
    for (SwitchId s = followers_[next]; s != kNoSwitch; s = next_follower_[s])
      if (!has_joined(s) && is_allowed(own(s))) join_late(s, own(s));
  }
}

void DetourColumn::take(SwitchId s, ChannelId channel) {
  write(s, prepared_.fabric().port(channel));
  join_late(s, channel);
}

void DetourColumn::change(SwitchId s, ChannelId channel) {
  write(s, prepared_.fabric().port(channel));
  join(s, hops_left(prepared_.far(channel)) + 1);
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
