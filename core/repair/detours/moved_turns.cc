// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/moved_turns.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/sort_unique.h"
#include "core/repair/detours/switch_turns.h"

namespace espalier {
namespace {

// A leaf can be the root of several planes: the turns of each, the plane with most turns first. One plane's turns are
// those between the switch of it above the leaf and others.
std::vector<std::vector<Turn>> by_plane(const WorkingState& state, std::vector<Turn> turns) {
  std::vector<std::vector<Turn>> planes;
  while (!turns.empty()) {
    std::vector<SwitchId> above;
    for (const Turn& turn : turns) {
      above.push_back(ends(state, turn).first);
      above.push_back(ends(state, turn).second);
    }
    std::sort(above.begin(), above.end());
    SwitchId most = kNoSwitch;
    std::ptrdiff_t count = 0;
    for (auto it = above.begin(); it != above.end();) {
      const auto next = std::upper_bound(it, above.end(), *it);
      if (next - it > count) std::tie(most, count) = std::pair(*it, next - it);
      it = next;
    }
    const auto others = std::stable_partition(turns.begin(), turns.end(), [&](const Turn& turn) {
      return ends(state, turn).first == most || ends(state, turn).second == most;
    });
    planes.emplace_back(turns.begin(), others);
    turns.erase(turns.begin(), others);
  }
  return planes;
}

// The switches above the leaf at which all turns of a plane begin or end. Two, if there are but two planes.
std::vector<SwitchId> common_switches(const WorkingState& state, const std::vector<Turn>& turns) {
  std::vector<SwitchId> common;
  const auto [a, b] = ends(state, turns.front());
  for (const SwitchId s : {a, b})
    if (std::all_of(turns.begin(), turns.end(),
                    [&](const Turn& turn) { return ends(state, turn).first == s || ends(state, turn).second == s; }))
      common.push_back(s);
  return common;
}

// Whether s is cut off from a switch above it that is there.
bool is_cut_off_above(const WorkingState& state, SwitchId s) {
  return std::ranges::any_of(state.prepared.tree().up_groups(s),
                             [&](const PortGroup& g) { return state.is_alive(g.remote) && !has_link(state, s, g); });
}

// Whether the leaf is cut off from s, or s from a switch above it, unless s is mended.
bool is_cut_off(const WorkingState& state, SwitchId leaf, SwitchId s, const std::vector<SwitchId>& mended) {
  return std::ranges::any_of(state.prepared.tree().up_groups(leaf),
                             [&](const PortGroup& g) { return g.remote == s && !has_link(state, leaf, g); }) ||
         (!std::ranges::binary_search(mended, s) && is_cut_off_above(state, s));
}

// REQUIRES: turns of one plane, at `leaf`.
bool has_lost(const WorkingState& state, LostTurns which, SwitchId leaf, const std::vector<Turn>& turns,
              const std::vector<SwitchId>& mended) {
  const std::vector<SwitchId> common = common_switches(state, turns);
  if (which != LostTurns::kAny)
    return std::any_of(common.begin(), common.end(), [&](SwitchId s) { return is_cut_off(state, leaf, s, mended); });
  return std::ranges::any_of(turns, [&](const Turn& turn) { return !on_left_cables(state, turn); }) ||
         std::ranges::any_of(common, [&](SwitchId s) { return is_cut_off_above(state, s); });
}

// Leaves that have lost a link, or are gone themselves, or below a switch that has lost a link upward.
std::vector<SwitchId> hit_leaves(const WorkingState& state) {
  const FatTree& tree = state.prepared.tree();
  std::vector<SwitchId> hit;
  for (const SwitchId s : tree.fabric().switches())
    if (!state.is_alive(s) && state.prepared.is_bottom(s)) hit.push_back(s);
  for (const SwitchId s : state.alive.losers) {
    if (state.prepared.is_bottom(s)) {
      hit.push_back(s);
    } else if (!has_all_uplinks(state, s)) {
      for (const PortGroup& g : tree.down_groups(s))
        if (state.prepared.is_bottom(g.remote)) hit.push_back(g.remote);
    }
  }
  sort_unique(hit);
  return hit;
}

// What is connected without a leaf: the lowest switch of it. Leaves are planes of their own.
IdVector<SwitchId, SwitchId> planes_of(const WorkingState& state) {
  const FatTree& tree = state.prepared.tree();
  IdVector<SwitchId, SwitchId> plane(tree.fabric().num_switches(), kNoSwitch);
  std::vector<SwitchId> queue;
  for (const SwitchId first : tree.fabric().switches()) {
    if (plane[first] != kNoSwitch) continue;
    plane[first] = first;
    if (state.prepared.is_bottom(first)) continue;
    queue.assign(1, first);
    while (!queue.empty()) {
      const SwitchId s = queue.back();
      queue.pop_back();
      for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
        for (const PortGroup& g : groups)
          if (plane[g.remote] == kNoSwitch && !state.prepared.is_bottom(g.remote)) {
            plane[g.remote] = first;
            queue.push_back(g.remote);
          }
    }
  }
  return plane;
}

class TurnMover {
 public:
  TurnMover(const WorkingState& state, ChannelOrder& order)
      : state_(state),
        tree_(state.prepared.tree()),
        order_(order),
        plane_(planes_of(state)),
        fixed_(turns_of_odd_entries(state)) {}

  // The switches that have lost turns by it; none: it did not work. REQUIRES: `turns` are those of a plane at `from`.
  std::vector<SwitchId> move(SwitchId from, const std::vector<Turn>& turns) {
    const std::vector<SwitchId> common = common_switches(state_, turns);
    for (const SwitchId to : candidates(from, turns)) {
      const auto is_whole = [&](SwitchId above) { return is_below_whole(to, above); };
      if (!std::all_of(common.begin(), common.end(), is_whole)) continue;
      const std::vector<Turn> all = with_turns_above(turns, to);
      if (std::ranges::any_of(all, [&](const Turn& turn) { return is_fixed(turn); })) continue;
      std::vector<Turn> moved;
      for (const Turn& turn : all)
        if (const auto there = state_.prepared.far(turn.in) == from ? below(to, turn) : above(to, turn))
          moved.push_back(*there);
      if (moved.size() != all.size()) continue;
      for (const Turn& turn : all) order_.retract(turn.in, port_of(turn));
      // Below the same switches two leaves change places.
      static_cast<void>(order_.exchange(channels_of_both(from, to)));
      if (order_.insert_all(moved)) return turning(all);
      for (const Turn& turn : all)
        if (is_left(state_, turn)) static_cast<void>(order_.insert(turn.in, port_of(turn)));
    }
    return {};
  }

 private:
  static constexpr std::size_t kMostCandidates = 32;

  // Leaves without turns: those first to which all of the planes come down, then those below the same switches.
  std::vector<SwitchId> candidates(SwitchId from, const std::vector<Turn>& turns) const {
    const std::vector<SwitchId> ends = ends_of(turns);
    std::vector<std::tuple<std::size_t, std::size_t, SwitchId>> found;
    for (const SwitchId s : tree_.fabric().switches()) {
      if (s == from || !state_.is_alive(s) || !state_.prepared.is_bottom(s) || !turns_at(state_, order_, s).empty())
        continue;
      const auto is_damaged = [&](SwitchId above) { return !is_below_whole(s, above); };
      const auto is_elsewhere = [&](SwitchId above) { return to_switch(s, above) == nullptr; };
      found.emplace_back(std::count_if(ends.begin(), ends.end(), is_damaged),
                         std::count_if(ends.begin(), ends.end(), is_elsewhere), s);
    }
    std::sort(found.begin(), found.end());
    if (found.size() > kMostCandidates) found.resize(kMostCandidates);
    std::vector<SwitchId> leaves;
    for (const auto& candidate : found) leaves.push_back(std::get<SwitchId>(candidate));
    return leaves;
  }

  // The switches above the leaf between which the turns are.
  [[nodiscard]] std::vector<SwitchId> ends_of(const std::vector<Turn>& turns) const {
    std::vector<SwitchId> ends;
    for (const Turn& turn : turns) {
      ends.push_back(tree_.fabric().source(turn.in));
      ends.push_back(state_.prepared.far(turn.out));
    }
    sort_unique(ends);
    return ends;
  }

  [[nodiscard]] const PortGroup* to_switch(SwitchId leaf, SwitchId above) const {
    for (const PortGroup& g : tree_.up_groups(leaf))
      if (g.remote == above) return &g;
    return nullptr;
  }

  // The channel from `leaf` to the same switch as from the old one, else to one of its plane.
  [[nodiscard]] std::optional<ChannelId> up_from(SwitchId leaf, SwitchId above) const {
    const PortGroup* group = to_switch(leaf, above);
    for (const PortGroup& g : tree_.up_groups(leaf))
      if (group == nullptr && plane_[g.remote] == plane_[above]) group = &g;
    if (group == nullptr) return std::nullopt;
    for (const PortNum port : tree_.ports(*group))
      if (const ChannelId c = tree_.fabric().channel(leaf, port); state_.is_left(c)) return c;
    return std::nullopt;
  }

  // Channels between two leaves and the switches above both, each with that of the other.
  [[nodiscard]] std::vector<std::pair<ChannelId, ChannelId>> channels_of_both(SwitchId a, SwitchId b) const {
    const Fabric& fabric = tree_.fabric();
    std::vector<std::pair<ChannelId, ChannelId>> channels;
    for (const PortGroup& g : tree_.up_groups(a)) {
      const PortGroup* const other = to_switch(b, g.remote);
      if (other == nullptr || other->num_ports != g.num_ports) continue;
      for (std::size_t i = 0; i < g.num_ports; ++i) {
        const ChannelId up_a = fabric.channel(a, tree_.ports(g)[i]);
        const ChannelId up_b = fabric.channel(b, tree_.ports(*other)[i]);
        channels.emplace_back(up_a, up_b);
        const Peer& far_a = fabric.peer(up_a);
        const Peer& far_b = fabric.peer(up_b);
        channels.emplace_back(fabric.channel(g.remote, far_a.port), fabric.channel(g.remote, far_b.port));
      }
    }
    return channels;
  }

  // The same turn at another switch.
  [[nodiscard]] std::optional<Turn> below(SwitchId s, const Turn& turn) const {
    const Fabric& fabric = tree_.fabric();
    const auto in = up_from(s, fabric.source(turn.in));
    const auto out = up_from(s, fabric.peer(turn.out).as_switch());
    if (!in || !out || *in == *out) return std::nullopt;
    const Peer& far = fabric.peer(*in);
    return Turn{fabric.channel(far.as_switch(), far.port), *out};
  }

  // A turn above the old leaf, at the switch that takes its place above the new one.
  [[nodiscard]] std::optional<Turn> above(SwitchId leaf, const Turn& turn) const {
    const auto up = up_from(leaf, state_.prepared.far(turn.in));
    return up ? below(state_.prepared.far(*up), turn) : std::nullopt;
  }

  // Turns within the plane of a common switch are at it, and move with the others unless the new leaf is below it too.
  [[nodiscard]] std::vector<Turn> with_turns_above(const std::vector<Turn>& turns, SwitchId to) const {
    std::vector<Turn> all = turns;
    for (const SwitchId above : common_switches(state_, turns)) {
      if (to_switch(to, above) != nullptr) continue;
      // Of a switch that is gone they are in the reference's order only. Nobody turns between tops one of which is gone.
      for (const Turn& turn : turns_at(state_, state_.prepared.order(), above))
        if (state_.is_alive(ends(state_, turn).first) && state_.is_alive(ends(state_, turn).second))
          all.push_back(turn);
    }
    return all;
  }

  // Whether all of the plane of a switch comes down to the leaf.
  [[nodiscard]] bool is_below_whole(SwitchId leaf, SwitchId above) const {
    const auto up = up_from(leaf, above);
    return up && has_all_uplinks(state_, state_.prepared.far(*up));
  }

  [[nodiscard]] std::vector<SwitchId> turning(const std::vector<Turn>& turns) const {
    std::vector<SwitchId> switches;
    for (const Turn& turn : turns) switches.push_back(state_.prepared.far(turn.in));
    sort_unique(switches);
    return switches;
  }

  [[nodiscard]] bool is_fixed(const Turn& turn) const { return std::ranges::binary_search(fixed_, turn, is_before); }
  [[nodiscard]] PortNum port_of(const Turn& turn) const { return tree_.fabric().port(turn.out); }

  const WorkingState& state_;
  const FatTree& tree_;
  ChannelOrder& order_;
  IdVector<SwitchId, SwitchId> plane_;
  std::vector<Turn> fixed_;  // sorted
};

}  // namespace

bool have_lost_turns(const WorkingState& state, LostTurns which) {
  if (!state.prepared.is_oriented()) return false;
  for (const SwitchId leaf : hit_leaves(state))
    for (const std::vector<Turn>& turns : by_plane(state, turns_at(state, state.prepared.order(), leaf)))
      if (has_lost(state, which, leaf, turns, {})) return true;
  return false;
}

std::vector<SwitchId> move_turns(const WorkingState& state, LostTurns which, const std::vector<SwitchId>& mended,
                                 ChannelOrder& order) {
  TurnMover mover(state, order);
  std::vector<SwitchId> moved;
  for (const SwitchId leaf : hit_leaves(state))
    // Those on lost links are in the reference's order only.
    for (const std::vector<Turn>& turns : by_plane(state, turns_at(state, state.prepared.order(), leaf))) {
      if (!has_lost(state, which, leaf, turns, mended)) continue;
      const std::vector<SwitchId> left = mover.move(leaf, turns);
      moved.insert(moved.end(), left.begin(), left.end());
    }
  return moved;
}

}  // namespace espalier
