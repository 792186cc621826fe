// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/rejoin.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/repair/lost_pairs.h"
#include "core/repair/place_set.h"

namespace espalier {
namespace {

class Rejoiner {
 public:
  Rejoiner(WorkingState& state, LostPairs& pairs)
      : state_(state),
        prepared_(state.prepared),
        fabric_(prepared_.fabric()),
        pairs_(pairs),
        joined_(fabric_.num_switches()),
        hops_(fabric_.num_switches()),
        trace_(fabric_.num_switches()),
        weight_(fabric_.num_switches()),
        own_(fabric_.num_switches()),
        untried_lost_(fabric_.num_switches()),
        place_(fabric_.num_switches()),
        followers_(fabric_.num_switches(), kNoSwitch),
        next_follower_(fabric_.num_switches(), kNoSwitch) {}

  Status route_column(std::size_t lid) {
    lid_ = lid;
    t_ = prepared_.destination(lid);
    ++column_;
    start();
    while (num_missing_ != 0) {
      if (!take_lost() && !take_left() && !admit(kMostRefusals) && !turn_elsewhere() && !admit(kNoLimit)) {
        drop_joined();
        return fail(fmt::format("no repair connects {} to LID {} of {}", fabric_.label(missing_.front()), lid,
                                fabric_.label(t_)));
      }
      keep();
    }
    return {};
  }

 private:
  static constexpr std::size_t kPorts = 256;
  // On a large tree nearly all dependencies that could be new close a cycle, and to see that takes a search for each.
  static constexpr std::size_t kMostRefusals = 100;
  static constexpr std::size_t kNoLimit = SIZE_MAX;

  void start() {
    missing_.clear();
    by_weight_.clear();
    news_.clear();
    have_tried_ = false;
    const auto consider = [&](SwitchId s) {
      if (!state_.is_alive(s) || s == t_) return;
      own_[s] = state_.channel(s, state_.reference_entry(s, lid_));
      if (state_.alive.component[s] != state_.alive.component[t_]) {
        if (!may_stay(s)) state_.set(s, lid_, kNoPort);
        return;
      }
      missing_.push_back(s);
      joined_[s] = column_ << 1;  // not yet
    };
    if (prepared_.is_oriented()) {
      for (const SwitchId s : prepared_.unreached(t_)) consider(s);
      for (const SwitchId s : pairs_.without_path_to(t_)) consider(s);
    } else {
      for (const SwitchId s : fabric_.switches()) consider(s);
    }
    const auto whole = [&](SwitchId s) { return follow(s); };
    std::erase_if(missing_, whole);
    if (!std::is_sorted(missing_.begin(), missing_.end())) std::sort(missing_.begin(), missing_.end());
    num_missing_ = missing_.size();
    note_missing();
  }

  // Whether s may go on sending what arrives nowhere: over a link that is left, and no turn that has moved.
  [[nodiscard]] bool may_stay(SwitchId s) const {
    if (own_[s] == WorkingState::kNoChannelLeft) return false;
    const SwitchId next = prepared_.far(own_[s]);
    const PortNum out = state_.reference_entry(next, lid_);
    return state_.channel(next, out) == WorkingState::kNoChannelLeft ||
           pairs_.order().has(id_at<ChannelId>(own_[s]), out);
  }

  // Who waits for whom, and who has lost its link.
  void note_missing() {
    lost_.clear();
    for (const SwitchId s : followed_) followers_[s] = kNoSwitch;
    followed_.clear();
    for (const SwitchId s : missing_) {
      untried_lost_[s] = 1;
      if (own_[s] == WorkingState::kNoChannelLeft) {
        lost_.push_back(s);
        continue;
      }
      const SwitchId next = prepared_.far(own_[s]);
      if (followers_[next] == kNoSwitch) followed_.push_back(next);
      next_follower_[s] = std::exchange(followers_[next], s);
    }
  }

  [[nodiscard]] bool has_joined(SwitchId s) const { return joined_[s] != column_ << 1; }
  void join(SwitchId s, unsigned hops) {
    joined_[s] = column_ << 1 | 1;
    hops_[s] = hops;
  }
  // One that was missing joins behind the far end of this channel.
  void join_late(SwitchId s, std::size_t channel) {
    join(s, hops_left(prepared_.far(channel)) + 1);
    --num_missing_;
    has_changed(s);
  }
  // s has joined, or sends by another port than before.
  void has_changed(SwitchId s) {
    changed_.push_back(s);
    if (have_tried_) news_.push_back(s);
  }
  // Whoever is missing beside one that has changed is worth another try.
  void spread_news() {
    have_tried_ = true;
    for (const SwitchId changed : news_)
      for (const auto groups : {prepared_.tree().up_groups(changed), prepared_.tree().down_groups(changed)})
        for (const PortGroup& g : groups) {
          if (has_joined(g.remote)) continue;
          untried_lost_[g.remote] = 1;
          if (by_weight_.empty()) continue;
          untried_suiting_.add(place_[g.remote]);
          untried_any_.add(place_[g.remote]);
        }
    news_.clear();
  }
  void drop_joined() {
    std::erase_if(missing_, [&](SwitchId s) { return has_joined(s); });
  }
  [[nodiscard]] unsigned hops_left(SwitchId s) const {
    return joined_[s] == (column_ << 1 | 1) ? hops_[s] : s == t_ ? 0U : state_.costs.cost(s, t_);
  }
  [[nodiscard]] bool is_allowed(std::size_t channel) const {
    const SwitchId next = prepared_.far(channel);
    return next == t_ || pairs_.order().has(id_at<ChannelId>(channel), state_.entry(next, lid_));
  }

  // Whether the reference's way from s is whole; all on it join.
  bool follow(SwitchId s) {
    std::vector<std::size_t>& path = path_;
    path.clear();
    while (!has_joined(s)) {
      if (own_[s] == WorkingState::kNoChannelLeft || trace_[s] == column_) break;
      trace_[s] = column_;
      path.push_back(own_[s]);
      s = prepared_.far(own_[s]);
    }
    if (!has_joined(s)) return false;
    for (std::size_t i = path.size(); i-- > 0;) {
      if (!is_allowed(path[i])) return false;
      join(fabric_.source(id_at<ChannelId>(path[i])), hops_left(prepared_.far(path[i])) + 1);
    }
    return true;
  }

  // Who can keep its entry joins, and then who waits for these.
  void keep() {
    while (!changed_.empty()) {
      const SwitchId next = changed_.back();
      changed_.pop_back();
      for (SwitchId s = followers_[next]; s != kNoSwitch; s = next_follower_[s])
        if (!has_joined(s) && is_allowed(own_[s])) join_late(s, own_[s]);
    }
  }

  // The best channel of s to a neighbor that has joined and that is `good`.
  template <class Good>
  std::size_t best_channel(SwitchId s, Good good) {
    candidates_.clear();
    unsigned fewest = ~0U;
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t c = state_.channel(s, id_at<PortNum>(p));
      if (c == WorkingState::kNoChannelLeft || !has_joined(prepared_.far(c))) continue;
      const unsigned hops = hops_left(prepared_.far(c));
      if (hops > fewest || !good(c)) continue;
      if (hops < fewest) candidates_.clear();
      candidates_.push_back(c);
      fewest = hops;
    }
    return candidates_.empty() ? WorkingState::kNoChannelLeft : candidates_[lid_ % candidates_.size()];
  }

  void take(SwitchId s, std::size_t channel) {
    state_.set(s, lid_, fabric_.port(id_at<ChannelId>(channel)));
    join_late(s, channel);
  }

  // Who has lost its link takes an allowed step, all of them.
  bool take_lost() {
    const std::size_t before = num_missing_;
    for (const SwitchId s : lost_) {
      if (has_joined(s)) continue;
      spread_news();
      if (std::exchange(untried_lost_[s], 0) != 0) static_cast<void>(take_allowed(s, [](std::size_t) { return true; }));
    }
    return num_missing_ != before;
  }

  // Of those that have theirs, one: the one whose entry most others go by, since they can keep theirs then. First those
  // by whose new port all who come to them may go on. On a large tree each of some hundred switches joins after a look at
  // all others, but few of these are worth it.
  bool take_left() {
    spread_news();
    if (by_weight_.empty()) weigh();
    const auto take_one = [&](PlaceSet& untried, auto good) {
      return untried.take_until([&](std::size_t place) {
        const SwitchId s = by_weight_[place];
        return !has_joined(s) &&
               take_allowed(s, [&](std::size_t c) { return good(s, fabric_.port(id_at<ChannelId>(c))); });
      });
    };
    return take_one(untried_suiting_, [&](SwitchId s, PortNum port) { return suits_those_behind(s, port); }) ||
           take_one(untried_any_, [](SwitchId, PortNum) { return true; });
  }

  // Whether all who are missing and come to s on their paths of the reference may go on by this port.
  [[nodiscard]] bool suits_those_behind(SwitchId s, PortNum port) const {
    for (SwitchId from = followers_[s]; from != kNoSwitch; from = next_follower_[from])
      if (!has_joined(from) && !pairs_.order().has(id_at<ChannelId>(own_[from]), port)) return false;
    return true;
  }

  // Whether all who send to s already may go on by this port.
  [[nodiscard]] bool may_leave_by(SwitchId s, PortNum port) const {
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t back = state_.channel(s, id_at<PortNum>(p));
      if (back == WorkingState::kNoChannelLeft) continue;
      const SwitchId from = prepared_.far(back);
      if (!has_joined(from)) continue;
      const std::size_t in = state_.channel(from, state_.entry(from, lid_));
      if (in != WorkingState::kNoChannelLeft && prepared_.far(in) == s &&
          !pairs_.order().has(id_at<ChannelId>(in), port))
        return false;
    }
    return true;
  }

  template <class Good>
  bool take_allowed(SwitchId s, Good good) {
    const std::size_t c = best_channel(s, [&](std::size_t channel) { return is_allowed(channel) && good(channel); });
    if (c == WorkingState::kNoChannelLeft) return false;
    take(s, c);
    return true;
  }

  // Those that are missing, by how many others come to them on their paths of the reference.
  void weigh() {
    drop_joined();
    for (const SwitchId s : missing_) weight_[s] = 0;
    for (const SwitchId first : missing_) {
      SwitchId s = first;
      for (std::size_t hops = 0; hops < kMostHops && s != t_ && !has_joined(s); ++hops) {
        ++weight_[s];
        if (own_[s] == WorkingState::kNoChannelLeft) break;
        s = prepared_.far(own_[s]);
      }
    }
    by_weight_ = missing_;
    std::stable_sort(by_weight_.begin(), by_weight_.end(),
                     [&](SwitchId a, SwitchId b) { return weight_[a] > weight_[b]; });
    for (std::size_t i = 0; i < by_weight_.size(); ++i) place_[by_weight_[i]] = static_cast<std::uint32_t>(i);
    for (PlaceSet* untried : {&untried_suiting_, &untried_any_}) untried->fill(by_weight_.size());
  }

  // One new dependency, unless as many as `most_refusals` have been refused one after another.
  bool admit(std::size_t most_refusals) {
    if (refusals_ >= most_refusals) return false;
    if (refused_.empty()) refused_.resize(fabric_.num_channels() * kPorts);
    drop_joined();
    for (auto it = missing_.begin(); it != missing_.end() && refusals_ < most_refusals; ++it) {
      for (const std::size_t c : ways_to_joined(*it)) {
        if (refusals_ >= most_refusals) break;
        if (!admits(c, state_.entry(prepared_.far(c), lid_))) continue;
        take(*it, c);
        return true;
      }
    }
    return false;
  }

  // What closes a cycle once does so ever after: dependencies are only added.
  bool admits(std::size_t channel, PortNum out) {
    if (pairs_.own_order().insert(id_at<ChannelId>(channel), out)) {
      refusals_ = 0;
      return true;
    }
    ++refusals_;
    refused_[channel * kPorts + index(out)] = true;
    return false;
  }

  // Channels of s to neighbors that have joined, but those that were refused: fewest hops left first, then the lowest
  // neighbor. The same neighbor for all columns: two switches that both turn at the one lowest between them close no
  // cycle, while turns at several do, one column's behind the other's.
  const std::vector<std::size_t>& ways_to_joined(SwitchId s) {
    candidates_.clear();
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t c = state_.channel(s, id_at<PortNum>(p));
      if (c == WorkingState::kNoChannelLeft || !has_joined(prepared_.far(c))) continue;
      if (!refused_[c * kPorts + index(state_.entry(prepared_.far(c), lid_))]) candidates_.push_back(c);
    }
    std::sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      const SwitchId x = prepared_.far(a), y = prepared_.far(b);
      return std::tuple(hops_left(x), x, a) < std::tuple(hops_left(y), y, b);
    });
    return candidates_;
  }

  // A turn that is allowed, at a switch that would send the packet on by another port: it changes to the port of the
  // turn. Where a leaf has lost its link into a plane, all of that plane turns at leaves whose own paths to it are
  // whole, but mostly lead where nobody may turn to. By turns over the switches, so that no leaf sends all LIDs of
  // another one way.
  bool turn_elsewhere() {
    drop_joined();
    for (std::size_t i = 0; i < missing_.size(); ++i) {
      const SwitchId s = missing_[(i + lid_) % missing_.size()];
      find_turns(s);
      if (turns_.empty()) continue;
      const auto [in, out] = turns_[lid_ % turns_.size()];
      state_.set(prepared_.far(in), lid_, fabric_.port(out));
      has_changed(prepared_.far(in));
      take(s, in);
      return true;
    }
    return false;
  }

  // Channels of s to neighbors below all others that have up-down paths, with a port of theirs that leads closer.
  void find_turns(SwitchId s) {
    turns_.clear();
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t in = state_.channel(s, id_at<PortNum>(p));
      if (in == WorkingState::kNoChannelLeft) continue;
      const SwitchId next = prepared_.far(in);
      if (next == t_ || !state_.reaches(next, t_) || !prepared_.tree().down_groups(next).empty()) continue;
      for_each_closer_channel(state_, next, t_, [&](ChannelId out) {
        if (pairs_.order().has(id_at<ChannelId>(in), fabric_.port(out)) && may_leave_by(next, fabric_.port(out)))
          turns_.emplace_back(in, out);
      });
    }
  }

  WorkingState& state_;
  const PreparedReference& prepared_;
  const Fabric& fabric_;
  LostPairs& pairs_;
  std::vector<bool> refused_;  // dependencies that would close a cycle, by channel and port; empty: none known
  std::size_t refusals_ = 0;   // one after another
  // For the column at hand:
  std::size_t lid_ = 0;
  SwitchId t_ = kNoSwitch;
  std::uint32_t column_ = 0;
  IdVector<SwitchId, std::uint32_t> joined_;  // column_ << 1: missing; that and 1: joined here; else up-down
  IdVector<SwitchId, unsigned> hops_;
  IdVector<SwitchId, std::uint32_t> trace_;
  IdVector<SwitchId, std::uint32_t> weight_;
  std::vector<SwitchId> by_weight_;  // empty: not weighed yet
  std::vector<SwitchId> missing_;    // and some that have joined since
  std::size_t num_missing_ = 0;
  std::vector<SwitchId> lost_;           // those that have lost their links
  IdVector<SwitchId, std::size_t> own_;  // of those that are missing: the reference's channel, if it is left
  // Who is worth a try: until it has failed, and again when a neighbor joins or changes its entry.
  IdVector<SwitchId, std::uint8_t> untried_lost_;           // of those that have lost their links
  IdVector<SwitchId, std::uint32_t> place_;                 // in by_weight_
  PlaceSet untried_suiting_, untried_any_;                  // by that place
  IdVector<SwitchId, SwitchId> followers_, next_follower_;  // who is missing and sends to this one: a list
  std::vector<SwitchId> followed_;                          // who has such a list
  std::vector<SwitchId> changed_;                           // whose followers have to be looked at
  std::vector<SwitchId> news_;                              // whose neighbors are worth another try
  bool have_tried_ = false;                                 // anything, in this column
  std::vector<std::size_t> path_;
  std::vector<std::size_t> candidates_;
  std::vector<std::pair<std::size_t, ChannelId>> turns_;  // into a switch, and out of it
};

}  // namespace

Status rejoin(WorkingState& state, const OpenEntries& open) {
  LostPairs pairs(state);
  Rejoiner rejoiner(state, pairs);
  for (const std::uint32_t lid : pairs.lids(open)) ESPALIER_TRY_STATUS(rejoiner.route_column(lid));
  return {};
}

}  // namespace espalier
