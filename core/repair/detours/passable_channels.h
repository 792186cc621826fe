// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Channels behind which packets may go on at all: few of those downward to leaves, since turns are at few leaves. To look at
// the others takes most of the time of a large repair: what a leaf has for the LID at hand is anywhere in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/large_array.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/detours/lost_pairs.h"

namespace espalier {

class PassableChannels {
 public:
  // REQUIRES: both outlive this.
  PassableChannels(const WorkingState& state, const LostPairs& pairs)
      : state_(state),
        pairs_(pairs),
        passable_(state.prepared.fabric().num_channels()),
        count_(state.prepared.fabric().num_switches()) {
    for (const SwitchId s : state.prepared.fabric().switches())
      for (const ChannelId c : state.prepared.channels(s))
        if (state_.is_left(c) && pairs_.order().has_any(c)) add(c);
  }

  // Something more is allowed behind this channel, whose link is left.
  void note_allowed(ChannelId c) {
    if (!has(c)) add(c);
  }
  // Those to t count as well from now on, and those to the last one no more.
  void set_destination(SwitchId t) {
    if (t == t_) return;
    t_ = t;
    for (const ChannelId c : only_to_t_)
      if (!pairs_.order().has_any(c)) remove(c);
    only_to_t_.clear();
    for (const ChannelId back : state_.prepared.channels(t)) {
      if (!state_.is_left(back)) continue;
      const Peer& far = state_.prepared.fabric().peer(back);
      const ChannelId c = state_.prepared.fabric().channel(far.as_switch(), far.port);
      if (!state_.is_left(c) || has(c)) continue;
      only_to_t_.push_back(c);
      add(c);
    }
  }

  // visit(ChannelId, SwitchId at its far end) for each of s, ascending.
  template <class Visit>
  void for_each(SwitchId s, Visit visit) const {
    for (const auto& [c, far] : of(s)) visit(c, far);
  }

 private:
  struct Passable {
    ChannelId channel;
    SwitchId far;
  };

  [[nodiscard]] Passable* begin(SwitchId s) { return &passable_[index(*state_.prepared.channels(s).begin())]; }
  [[nodiscard]] std::span<const Passable> of(SwitchId s) const {
    return {passable_.data() + index(*state_.prepared.channels(s).begin()), count_[s]};
  }
  [[nodiscard]] bool has(ChannelId c) const {
    return std::ranges::binary_search(of(state_.prepared.fabric().source(c)), c, {}, &Passable::channel);
  }
  // REQUIRES: it is none of them.
  void add(ChannelId c) {
    const SwitchId s = state_.prepared.fabric().source(c);
    Passable* const end = begin(s) + count_[s]++;
    Passable* const place = std::ranges::lower_bound(begin(s), end, c, {}, &Passable::channel);
    std::move_backward(place, end, end + 1);
    *place = {c, state_.prepared.far(c)};
  }
  // REQUIRES: it is one of them.
  void remove(ChannelId c) {
    const SwitchId s = state_.prepared.fabric().source(c);
    Passable* const end = begin(s) + count_[s]--;
    Passable* const place = std::ranges::lower_bound(begin(s), end, c, {}, &Passable::channel);
    std::move(place + 1, end, place);
  }

  const WorkingState& state_;
  const LostPairs& pairs_;
  LargeArray<Passable> passable_;            // of each switch, where its channels begin
  IdVector<SwitchId, std::uint32_t> count_;  // so many
  SwitchId t_ = kNoSwitch;
  std::vector<ChannelId> only_to_t_;  // nothing else is allowed behind these
};

}  // namespace espalier
