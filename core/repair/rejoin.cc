// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/rejoin.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/repair/lost_pairs.h"

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
        weight_(fabric_.num_switches()) {}

  Status route_column(std::size_t lid) {
    lid_ = lid;
    t_ = prepared_.destination(lid);
    ++column_;
    start();
    while (!missing_.empty())
      if (!keep() && !take_lost() && !take_left() && !admit(kMostRefusals) && !turn_elsewhere() && !admit(kNoLimit))
        return fail(fmt::format("no repair connects {} to LID {} of {}", fabric_.label(missing_.front()), lid,
                                fabric_.label(t_)));
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
    const auto consider = [&](SwitchId s) {
      if (!state_.is_alive(s) || s == t_) return;
      const std::size_t own = state_.channel(s, state_.reference_entry(s, lid_));
      if (state_.alive.component[s] != state_.alive.component[t_]) {
        if (own == WorkingState::kNoChannelLeft) state_.set(s, lid_, kNoPort);
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
    std::sort(missing_.begin(), missing_.end());
  }

  [[nodiscard]] bool has_joined(SwitchId s) const { return joined_[s] != column_ << 1; }
  void join(SwitchId s, unsigned hops) {
    joined_[s] = column_ << 1 | 1;
    hops_[s] = hops;
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
    std::vector<std::size_t>& way = way_;
    way.clear();
    while (!has_joined(s)) {
      const std::size_t c = state_.channel(s, state_.reference_entry(s, lid_));
      if (c == WorkingState::kNoChannelLeft || trace_[s] == column_) break;
      trace_[s] = column_;
      way.push_back(c);
      s = prepared_.far(c);
    }
    if (!has_joined(s)) return false;
    for (std::size_t i = way.size(); i-- > 0;) {
      if (!is_allowed(way[i])) return false;
      join(fabric_.source(id_at<ChannelId>(way[i])), hops_left(prepared_.far(way[i])) + 1);
    }
    return true;
  }

  // Who can keep its entry joins.
  bool keep() {
    const std::size_t before = missing_.size();
    std::erase_if(missing_, [&](SwitchId s) {
      const std::size_t c = state_.channel(s, state_.reference_entry(s, lid_));
      if (c == WorkingState::kNoChannelLeft || !has_joined(prepared_.far(c)) || !is_allowed(c)) return false;
      join(s, hops_left(prepared_.far(c)) + 1);
      return true;
    });
    return missing_.size() != before;
  }

  // The best channel of s to a neighbor that has joined and that is `good`.
  template <class Good>
  std::size_t best_channel(SwitchId s, Good good) {
    candidates_.clear();
    unsigned fewest = ~0U;
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t c = state_.channel(s, id_at<PortNum>(p));
      if (c == WorkingState::kNoChannelLeft || !has_joined(prepared_.far(c)) || !good(c)) continue;
      const unsigned hops = hops_left(prepared_.far(c));
      if (hops < fewest) candidates_.clear();
      if (hops <= fewest) candidates_.push_back(c);
      fewest = std::min(fewest, hops);
    }
    return candidates_.empty() ? WorkingState::kNoChannelLeft : candidates_[lid_ % candidates_.size()];
  }

  void take(SwitchId s, std::size_t channel) {
    state_.set(s, lid_, fabric_.port(id_at<ChannelId>(channel)));
    join(s, hops_left(prepared_.far(channel)) + 1);
  }

  // Who has lost its link takes an allowed step, all of them.
  bool take_lost() {
    const std::size_t before = missing_.size();
    std::erase_if(missing_, [&](SwitchId s) {
      if (state_.channel(s, state_.reference_entry(s, lid_)) != WorkingState::kNoChannelLeft) return false;
      return take_allowed(s, [](std::size_t) { return true; });
    });
    return missing_.size() != before;
  }

  // Of those that have theirs, one: the one whose entry most others go by, since they can keep theirs then. First those
  // by whose new port all who come to them may go on.
  bool take_left() {
    if (by_weight_.empty()) weigh();
    const auto takes = [&](SwitchId s, auto good) {
      if (has_joined(s) || !take_allowed(s, good)) return false;
      missing_.erase(std::find(missing_.begin(), missing_.end(), s));
      return true;
    };
    const auto any = [](std::size_t) { return true; };
    for (const SwitchId s : by_weight_)
      if (takes(s, [&](std::size_t c) { return suits_those_behind(s, fabric_.port(id_at<ChannelId>(c))); }))
        return true;
    return std::any_of(by_weight_.begin(), by_weight_.end(), [&](SwitchId s) { return takes(s, any); });
  }

  // Whether all who are missing and come to s on their ways of the reference may go on by this port.
  [[nodiscard]] bool suits_those_behind(SwitchId s, PortNum port) const {
    return may_all_leave_by(
        s, port, [&](SwitchId from) { return has_joined(from) ? kNoPort : state_.reference_entry(from, lid_); });
  }

  // Whether all who send to s already may go on by this port.
  [[nodiscard]] bool may_leave_by(SwitchId s, PortNum port) const {
    return may_all_leave_by(s, port,
                            [&](SwitchId from) { return has_joined(from) ? state_.entry(from, lid_) : kNoPort; });
  }

  // The same for those whose entry_of(neighbor) leads to s.
  template <class EntryOf>
  [[nodiscard]] bool may_all_leave_by(SwitchId s, PortNum port, EntryOf&& entry_of) const {
    for (std::size_t p = 1; p <= fabric_.at(s).num_ports; ++p) {
      const std::size_t back = state_.channel(s, id_at<PortNum>(p));
      if (back == WorkingState::kNoChannelLeft) continue;
      const SwitchId from = prepared_.far(back);
      const std::size_t in = state_.channel(from, entry_of(from));
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

  // Those that are missing, by how many others come to them on their ways of the reference.
  void weigh() {
    for (const SwitchId s : missing_) weight_[s] = 0;
    for (const SwitchId first : missing_) {
      SwitchId s = first;
      for (std::size_t hops = 0; hops < kMostHops && s != t_ && !has_joined(s); ++hops) {
        ++weight_[s];
        const std::size_t c = state_.channel(s, state_.reference_entry(s, lid_));
        if (c == WorkingState::kNoChannelLeft) break;
        s = prepared_.far(c);
      }
    }
    by_weight_ = missing_;
    std::stable_sort(by_weight_.begin(), by_weight_.end(),
                     [&](SwitchId a, SwitchId b) { return weight_[a] > weight_[b]; });
  }

  // One new dependency, unless as many as `most_refusals` have been refused one after another.
  bool admit(std::size_t most_refusals) {
    if (refused_.empty()) refused_.resize(fabric_.num_channels() * kPorts);
    for (auto it = missing_.begin(); it != missing_.end() && refusals_ < most_refusals; ++it) {
      for (const std::size_t c : ways_to_joined(*it)) {
        if (refusals_ >= most_refusals) break;
        if (!admits(c, state_.entry(prepared_.far(c), lid_))) continue;
        take(*it, c);
        missing_.erase(it);
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
  // turn. Where a leaf has lost its link into a plane, all of that plane turns at leaves whose own ways to it are
  // whole, but mostly lead where nobody may turn to. By turns over the switches, so that no leaf sends all LIDs of
  // another one way.
  bool turn_elsewhere() {
    for (std::size_t i = 0; i < missing_.size(); ++i) {
      const std::size_t at = (i + lid_) % missing_.size();
      const SwitchId s = missing_[at];
      find_turns(s);
      if (turns_.empty()) continue;
      const auto [in, out] = turns_[lid_ % turns_.size()];
      state_.set(prepared_.far(in), lid_, fabric_.port(out));
      take(s, in);
      missing_.erase(missing_.begin() + static_cast<std::ptrdiff_t>(at));
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
  std::vector<SwitchId> missing_;
  std::vector<std::size_t> way_;
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
