// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/rejoin.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/repair/detours/detour_column.h"
#include "core/repair/detours/leaf_turns.h"
#include "core/repair/detours/lost_pairs.h"
#include "core/repair/detours/moved_turns.h"
#include "core/repair/detours/place_set.h"

namespace espalier {
namespace {

// Whether a switch that cannot join otherwise may do so by a new dependency.
enum class NewDependencies : std::uint8_t { kNone, kAdmitted };

class Rejoiner {
 public:
  Rejoiner(WorkingState& state, LostPairs& pairs, const ClassLoads& loads, NewDependencies new_dependencies)
      : prepared_(state.prepared),
        fabric_(prepared_.fabric()),
        state_(state),
        pairs_(pairs),
        column_(state, pairs),
        leaf_turns_(state, pairs, loads),
        may_admit_(new_dependencies == NewDependencies::kAdmitted),
        weight_(fabric_.num_switches()),
        untried_lost_(fabric_.num_switches()),
        tried_ahead_(fabric_.num_switches()),
        place_(fabric_.num_switches()) {}

  Status route_columns(const std::vector<std::uint32_t>& lids) {
    for (const std::uint32_t lid : lids)
      if (const Status joined = route_column(lid); !joined) {
        column_.undo();
        return joined;
      }
    return {};
  }

  // Those of all flows, as leaves that turn have changed them.
  void apply_to(ClassLoads& loads) const { leaf_turns_.apply_to(loads); }

 private:
  static constexpr std::size_t kPorts = 256;
  // On a large tree nearly all dependencies that could be new close a cycle, and to see that takes a search for each.
  static constexpr std::size_t kMostRefusals = 100;
  static constexpr std::size_t kNoLimit = SIZE_MAX;

  Status route_column(std::size_t lid) {
    // Hosts send to few LIDs of switches: entries for these can change before anything new is admitted.
    const bool is_of_switch = !prepared_.is_host_lid(lid);
    column_.start(lid);
    by_weight_.clear();
    for (const SwitchId s : column_.lost()) untried_lost_[s] = 1;
    while (!column_.is_whole()) {
      if (!take_lost() && !take_ahead_of_lost() && !take_left() && !(is_of_switch && leaf_turns_.turn(column_)) &&
          !admit(kMostRefusals) && !leaf_turns_.turn(column_) && !admit(kNoLimit))
        return fail(fmt::format("no repair connects {} to LID {} of {}", fabric_.label(column_.missing().front()), lid,
                                fabric_.label(column_.destination())));
      column_.keep();
    }
    return {};
  }

  // Whoever is missing beside one that has changed is worth another try.
  void spread_news() {
    column_.for_each_beside_news([&](SwitchId s) {
      untried_lost_[s] = 1;
      tried_ahead_[s] = 0;
      if (by_weight_.empty()) return;
      untried_suiting_.add(place_[s]);
      untried_any_.add(place_[s]);
    });
  }

  // Who has lost its link takes an allowed step, all of them.
  bool take_lost() {
    bool have_taken = false;
    for (const SwitchId s : column_.lost()) {
      if (column_.has_joined(s)) continue;
      spread_news();
      if (std::exchange(untried_lost_[s], 0) != 0) have_taken |= take_any(s);
    }
    return have_taken;
  }

  // One that is missing, behind which one that has lost its link can join then: two entries change, and all who come to
  // the latter keep theirs.
  bool take_ahead_of_lost() {
    tried_.clear();
    for (const SwitchId s : column_.lost()) {
      if (column_.has_joined(s)) continue;
      bool has_taken = false;
      column_.for_each_passable(s, [&](ChannelId c, SwitchId next) {
        if (has_taken || column_.has_joined(next) || tried_ahead_[next] == column_.lid()) return;
        tried_.push_back(next);
        if (column_.suits_those_behind(s, fabric_.port(c)))
          has_taken = take(next, [&](ChannelId d) { return pairs_.order().has(c, fabric_.port(d)); });
      });
      if (has_taken) return true;
    }
    for (const SwitchId next : tried_) tried_ahead_[next] = static_cast<std::uint32_t>(column_.lid());
    return false;
  }

  // Of those that have theirs, one: the one whose entry most others go by, since they can keep theirs then. First those
  // by whose new port all who come to them may go on. On a large tree each of some hundred switches joins after a look at
  // all others, but few of these are worth it.
  bool take_left() {
    spread_news();
    if (by_weight_.empty()) weigh();
    const auto take_one = [&](PlaceSet& untried, auto take) {
      return untried.take_until([&](std::size_t place) {
        const SwitchId s = by_weight_[place];
        return !column_.has_joined(s) && take(s);
      });
    };
    return take_one(untried_suiting_, [&](SwitchId s) { return take_suiting(s); }) ||
           take_one(untried_any_, [&](SwitchId s) { return take_any(s); });
  }

  bool take_suiting(SwitchId s) {
    return take(s, [&](ChannelId c) { return column_.suits_those_behind(s, fabric_.port(c)); });
  }
  bool take_any(SwitchId s) {
    return take(s, [](ChannelId) { return true; });
  }
  template <class Good>
  bool take(SwitchId s, Good good) {
    const ChannelId channel = column_.best_channel(s, good);
    if (channel == kNoChannel) return false;
    column_.take(s, channel);
    return true;
  }

  // Those that are missing, by how many others come to them on their paths of the reference.
  void weigh() {
    const std::vector<SwitchId>& missing = column_.missing();
    for (const SwitchId s : missing) weight_[s] = 0;
    for (const SwitchId first : missing) {
      SwitchId s = first;
      for (std::size_t hops = 0; hops < kMostHops && s != column_.destination() && !column_.has_joined(s); ++hops) {
        ++weight_[s];
        if (column_.own(s) == kNoChannel) break;
        s = prepared_.far(column_.own(s));
      }
    }
    sort_by_weight(missing);
    for (PlaceSet* untried : {&untried_suiting_, &untried_any_}) untried->fill(by_weight_.size());
  }

  // The heaviest first, those of one weight as they come: a counting sort, as weights are small and columns many.
  void sort_by_weight(const std::vector<SwitchId>& switches) {
    std::uint32_t most = 0;
    for (const SwitchId s : switches) most = std::max(most, weight_[s]);
    next_place_.assign(most + 2, 0);
    for (const SwitchId s : switches) ++next_place_[most - weight_[s] + 1];
    std::partial_sum(next_place_.begin(), next_place_.end(), next_place_.begin());
    by_weight_.resize(switches.size());
    for (const SwitchId s : switches) {
      place_[s] = next_place_[most - weight_[s]]++;
      by_weight_[place_[s]] = s;
    }
  }

  // One new dependency, unless as many as `most_refusals` have been refused one after another.
  bool admit(std::size_t most_refusals) {
    if (!may_admit_ || refusals_ >= most_refusals) return false;
    if (refused_.empty()) refused_.resize(fabric_.num_channels() * kPorts);
    for (const SwitchId s : column_.missing())
      for (const ChannelId c : channels_to_joined(s)) {
        if (refusals_ >= most_refusals) return false;
        const PortNum out = state_.entry(prepared_.far(c), column_.lid());
        if (pairs_.own_order().insert(c, out)) {
          refusals_ = 0;
          column_.note_allowed(c);
          column_.take(s, c);
          return true;
        }
        ++refusals_;
        // What closes a cycle once does so ever after: dependencies are only added.
        refused_[index(c) * kPorts + index(out)] = true;
      }
    return false;
  }

  // Channels of s to neighbors that have joined, but those that were refused: fewest hops left first, then the lowest
  // neighbor. The same neighbor for all columns: two switches that both turn at the one lowest between them close no
  // cycle, while turns at several do, one column's behind the other's.
  const std::vector<ChannelId>& channels_to_joined(SwitchId s) {
    candidates_.clear();
    for (const ChannelId c : prepared_.channels(s)) {
      if (!state_.is_left(c) || !column_.has_joined(prepared_.far(c))) continue;
      if (!refused_[index(c) * kPorts + index(state_.entry(prepared_.far(c), column_.lid()))]) candidates_.push_back(c);
    }
    std::sort(candidates_.begin(), candidates_.end(), [&](ChannelId a, ChannelId b) {
      const SwitchId x = prepared_.far(a), y = prepared_.far(b);
      return std::tuple(column_.hops_left(x), x, a) < std::tuple(column_.hops_left(y), y, b);
    });
    return candidates_;
  }

  const PreparedReference& prepared_;
  const Fabric& fabric_;
  const WorkingState& state_;
  LostPairs& pairs_;
  DetourColumn column_;
  LeafTurns leaf_turns_;
  bool may_admit_;
  // Dependencies that would close a cycle, by channel and port; empty: none known.
  std::vector<bool, LargeAllocator<bool>> refused_;
  std::size_t refusals_ = 0;  // one after another
  // For the column at hand:
  IdVector<SwitchId, std::uint32_t> weight_;
  std::vector<SwitchId> by_weight_;  // empty: not weighed yet
  // Who is worth a try: until it has failed, and again when a neighbor joins or changes its entry.
  IdVector<SwitchId, std::uint8_t> untried_lost_;  // of those that have lost their links
  IdVector<SwitchId, std::uint32_t> tried_ahead_;  // the LID of the column in which it was tried last ahead of those
  std::vector<SwitchId> tried_;
  IdVector<SwitchId, std::uint32_t> place_;  // in by_weight_
  std::vector<std::uint32_t> next_place_;    // by weight, scratch
  PlaceSet untried_suiting_, untried_any_;   // by that place
  std::vector<ChannelId> candidates_;
};

}  // namespace

Status rejoin(WorkingState& state, const OpenEntries& open, ClassLoads& loads) {
  const SwitchLists lost_paths = find_lost_paths(state);
  bool has_mended = false;
  const auto attempt = [&](LostTurns moves, NewDependencies new_dependencies) {
    LostPairs pairs(state, open, lost_paths, moves);
    has_mended = pairs.has_mended();
    Rejoiner rejoiner(state, pairs, loads, new_dependencies);
    return rejoiner.route_columns(pairs.lids()).map([&] { rejoiner.apply_to(loads); });
  };
  if (!have_lost_turns(state, LostTurns::kAny)) return attempt(LostTurns::kNone, NewDependencies::kAdmitted);
  if (attempt(LostTurns::kOfUnmended, NewDependencies::kNone)) return {};
  if (has_mended && attempt(LostTurns::kOfRoots, NewDependencies::kNone)) return {};
  return attempt(LostTurns::kAny, NewDependencies::kAdmitted);
}

}  // namespace espalier
