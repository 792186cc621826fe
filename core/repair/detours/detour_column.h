// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One column while pairs in it have no path: who has joined, that is has an entry by which packets arrive, and who is
// missing. A switch joins only behind a neighbor that has joined, so there are no loops. Whoever reaches the destination
// by an up-down path has joined from the start.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/repair/broken/working_state.h"
#include "core/repair/detours/lost_pairs.h"
#include "core/repair/detours/passable_channels.h"
#include "core/repair/detours/suspects.h"

namespace espalier {

class DetourColumn {
 public:
  // REQUIRES: both outlive this.
  DetourColumn(WorkingState& state, const LostPairs& pairs);

  // Another column. Whoever has a whole path of the reference joins. Entries of pairs that no link joins any more become
  // kNoPort where their own link is lost, or the turn behind it is elsewhere now.
  void start(std::size_t lid);

  [[nodiscard]] std::size_t lid() const { return lid_; }
  [[nodiscard]] SwitchId destination() const { return t_; }
  [[nodiscard]] bool is_whole() const { return num_missing_ == 0; }
  // Who is missing, ascending.
  [[nodiscard]] const std::vector<SwitchId>& missing();
  // Those of them who have lost their links.
  [[nodiscard]] const std::vector<SwitchId>& lost();
  // The channel of the reference's entry of one that is missing, if its link is left.
  [[nodiscard]] ChannelId own(SwitchId s) const { return own_[s]; }

  [[nodiscard]] bool has_joined(SwitchId s) const { return Joined(*this)(s); }
  // REQUIRES: s has joined.
  [[nodiscard]] unsigned hops_left(SwitchId s) const {
    return joined_[s] == (column_ << 1 | 1) ? hops_[s] : hops_from_start(s);
  }
  // The next channel behind this one. REQUIRES: its far end has joined, and is not the destination.
  [[nodiscard]] ChannelId next(ChannelId channel) const {
    const SwitchId s = prepared_.far(channel);
    return state_.channel_of(s, lid_);
  }
  // Whether packets may go on where this channel ends.
  [[nodiscard]] bool is_allowed(ChannelId channel) const {
    const SwitchId next = prepared_.far(channel);
    return next == t_ || pairs_.order().has(channel, state_.entry(next, lid_));
  }
  // Whether all who are missing and come to s on their paths of the reference, but for whoever is behind this port, may
  // go on by it.
  [[nodiscard]] bool suits_those_behind(SwitchId s, PortNum port) const;
  // Whether all who send to s already may go on by this port.
  [[nodiscard]] bool may_leave_by(SwitchId s, PortNum port) const;
  // REQUIRES: the far end of the channel has joined.
  [[nodiscard]] bool leads_by(ChannelId channel, SwitchId s) const;

  // visit(ChannelId, SwitchId at its far end) for each of s behind which packets may go on, or end, for some entries there;
  // ascending.
  template <class Visit>
  void for_each_passable(SwitchId s, Visit visit) const {
    passable_.for_each(s, visit);
  }
  // One step more is allowed behind this channel.
  void note_allowed(ChannelId channel) { passable_.note_allowed(channel); }

  // The best channel of s to a neighbor that has joined where packets may go on, and that is `good`: fewest hops left,
  // equal ones by turns.
  template <class Good>
  [[nodiscard]] ChannelId best_channel(SwitchId s, Good good) {
    candidates_.clear();
    unsigned fewest = ~0U;
    for_each_passable(s, [&, joined = Joined(*this)](ChannelId c, SwitchId next) {
      if (!joined(next)) return;
      const unsigned hops = hops_left(next);
      if (hops > fewest || !is_allowed(c) || !good(c)) return;
      if (hops < fewest) candidates_.clear();
      candidates_.push_back(c);
      fewest = hops;
    });
    return candidates_.empty() ? kNoChannel : candidates_[lid_ % candidates_.size()];
  }

  // s joins by this channel. REQUIRES: s is missing, the far end has joined.
  void take(SwitchId s, ChannelId channel);
  // s, which has joined, sends by this channel from now on. REQUIRES: the far end has joined, and does not send to s.
  void change(SwitchId s, ChannelId channel);
  // Who can keep its entry behind those that have joined or changed joins, and then who waits for these.
  void keep();

  // Calls visit(s) for each s that is missing beside one that has joined or changed since the last such call. Nobody is
  // new to the first.
  template <class Visit>
  void for_each_beside_news(Visit visit) {
    notes_news_ = true;
    const auto look_at = [&, joined = Joined(*this)](std::span<const PortGroup> groups) {
      for (const PortGroup& g : groups)
        if (!joined(g.remote)) visit(g.remote);
    };
    for (const SwitchId changed : news_) {
      look_at(prepared_.tree().up_groups(changed));
      if (misses_bottom_ || !prepared_.is_above_bottom_only(changed)) look_at(prepared_.tree().down_groups(changed));
    }
    news_.clear();
  }

  // Takes back all that was written, in all columns.
  void undo();

 private:
  struct Written {
    SwitchId s;
    std::uint32_t lid;
    PortNum before;
  };

  // has_joined() for loops that write, for which compilers would read these anew each time.
  class Joined {
   public:
    explicit Joined(const DetourColumn& column) : joined_(&*column.joined_.begin()), missing_(column.column_ << 1) {}
    bool operator()(SwitchId s) const { return joined_[index(s)] != missing_; }

   private:
    const std::uint32_t* joined_;
    std::uint32_t missing_;
  };

  [[nodiscard]] unsigned hops_from_start(SwitchId s) const;
  [[nodiscard]] unsigned hops_of_reference(SwitchId s) const;
  void find_unreached();
  template <class Switches>
  void consider(const Switches& switches);
  void write(SwitchId s, PortNum port);
  [[nodiscard]] bool may_stay(SwitchId s) const;
  void note_hops(SwitchId s, unsigned hops) const;
  void join(SwitchId s, unsigned hops);
  void note_change(SwitchId s);

  WorkingState& state_;
  const PreparedReference& prepared_;
  const LostPairs& pairs_;
  Suspects suspects_;
  PassableChannels passable_;
  LargeVector<Written> written_;
  std::size_t lid_ = 0;
  SwitchId t_ = kNoSwitch;
  std::uint32_t column_ = 0;
  // joined_ is column_ << 1 of one that is missing, that and 1 of one whose hops are known, and else of one that has joined from
  // the start: its hops are found when they are asked for.
  mutable IdVector<SwitchId, std::uint32_t> joined_, hops_;
  IdVector<SwitchId, ChannelId> own_;  // of those that are, or were, missing
  std::vector<SwitchId> missing_;      // and some that have joined since
  std::size_t num_missing_ = 0;
  bool misses_bottom_ = false;                              // one of them is, or was, at the bottom
  std::vector<SwitchId> lost_;                              // and some that have joined since
  IdVector<SwitchId, SwitchId> followers_, next_follower_;  // who of these sends to this one: a list
  std::vector<SwitchId> followed_;                          // who has such a list
  std::vector<SwitchId> changed_;                           // whose followers have to be looked at
  std::vector<SwitchId> news_;                              // whose neighbors are worth another try
  bool notes_news_ = false;
  std::vector<SwitchId> unreached_;  // who has no up-down path to this one, ascending
  SwitchId unreached_to_ = kNoSwitch;
  std::vector<ChannelId> candidates_;
};

}  // namespace espalier
