// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Channels behind which packets may go on at all: few of those downward to leaves, since turns are at few leaves. To look at
// the others takes most of the time of a large repair: what a leaf has for the LID at hand is anywhere in memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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
        words_per_switch_(words_of(state)),
        words_(count_words(state, words_per_switch_)) {
    words_.fill_bytes(0);
    for (const SwitchId s : state.prepared.fabric().switches())
      for (const ChannelId c : state.prepared.channels(s))
        if (is_passable(c)) set(s, c, true);
  }

  // Something more is allowed behind this channel, whose link is left.
  void note_allowed(ChannelId c) { set(state_.prepared.fabric().source(c), c, true); }
  // Those to t count as well from now on, and those to the last one no more.
  void set_destination(SwitchId t) {
    if (t == t_) return;
    t_ = t;
    for (const ChannelId c : only_to_t_)
      if (!pairs_.order().has_any(c)) set(state_.prepared.fabric().source(c), c, false);
    only_to_t_.clear();
    for (const ChannelId back : state_.prepared.channels(t)) {
      if (!state_.is_left(back)) continue;
      const Peer& far = state_.prepared.fabric().peer(back);
      const ChannelId c = state_.prepared.fabric().channel(far.as_switch(), far.port);
      if (!state_.is_left(c) || has(far.as_switch(), c)) continue;
      only_to_t_.push_back(c);
      set(far.as_switch(), c, true);
    }
  }

  // visit(ChannelId) for each of s, ascending.
  template <class Visit>
  void for_each(SwitchId s, Visit visit) const {
    const auto first = index(*state_.prepared.channels(s).begin());
    const std::size_t num_words = words_per_switch_;
    const std::uint64_t* const words = words_.data() + index(s) * num_words;
    for (std::size_t w = 0; w < num_words; ++w)
      for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
        visit(id_at<ChannelId>(first + w * kBits + static_cast<std::size_t>(std::countr_zero(bits))));
  }

 private:
  static constexpr std::size_t kBits = 64;

  static std::size_t words_of(const WorkingState& state) {
    std::size_t most = 1;
    for (const SwitchId s : state.prepared.fabric().switches())
      most = std::max(most, (state.prepared.channels(s).size() + kBits - 1) / kBits);
    return most;
  }
  static std::size_t count_words(const WorkingState& state, std::size_t words_per_switch) {
    return state.prepared.fabric().num_switches() * words_per_switch;
  }

  [[nodiscard]] bool is_passable(ChannelId c) const { return state_.is_left(c) && pairs_.order().has_any(c); }
  void set(SwitchId s, ChannelId c, bool value) {
    const std::size_t port = index(c) - index(*state_.prepared.channels(s).begin());
    std::uint64_t& word = words_[index(s) * words_per_switch_ + port / kBits];
    const std::uint64_t bit = std::uint64_t{1} << port % kBits;
    word = value ? word | bit : word & ~bit;
  }
  [[nodiscard]] bool has(SwitchId s, ChannelId c) const {
    const std::size_t port = index(c) - index(*state_.prepared.channels(s).begin());
    return (words_[index(s) * words_per_switch_ + port / kBits] >> port % kBits & 1) != 0;
  }

  const WorkingState& state_;
  const LostPairs& pairs_;
  std::size_t words_per_switch_;
  LargeArray<std::uint64_t> words_;  // per switch, a bit for each port
  SwitchId t_ = kNoSwitch;
  std::vector<ChannelId> only_to_t_;  // nothing else is allowed behind these
};

}  // namespace espalier
