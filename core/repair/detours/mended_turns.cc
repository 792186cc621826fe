// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/mended_turns.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/sort_unique.h"
#include "core/repair/detours/switch_turns.h"

namespace espalier {
namespace {

constexpr std::size_t kMostCandidates = 8;

// Turns that s has lost, between switches that are there, and that no cable is left for.
std::vector<Turn> lost_turns(const WorkingState& state, SwitchId s) {
  std::vector<Turn> turns = turns_at(state, state.prepared.order(), s);
  std::erase_if(turns, [&](const Turn& turn) {
    const auto [from, to] = ends(state, turn);
    return on_left_cables(state, turn) || !state.is_alive(from) || !state.is_alive(to);
  });
  return turns;
}

// The same turn at another switch.
std::optional<Turn> at_switch(const WorkingState& state, SwitchId s, const Turn& turn) {
  const FatTree& tree = state.prepared.tree();
  const auto [from, to] = ends(state, turn);
  std::optional<ChannelId> to_from, to_to;
  for (const PortGroup& g : tree.up_groups(s))
    for (const PortNum port : tree.ports(g)) {
      const ChannelId c = tree.fabric().channel(s, port);
      if (!state.is_left(c)) continue;
      if (g.remote == from && !to_from) to_from = c;
      if (g.remote == to && !to_to) to_to = c;
    }
  if (!to_from || !to_to) return std::nullopt;
  const Peer& above = tree.fabric().peer(*to_from);
  return Turn{tree.fabric().channel(above.as_switch(), above.port), *to_to};
}

// Switches without turns below the same switch as the first turn, which have all their links upward.
std::vector<SwitchId> candidates(const WorkingState& state, const ChannelOrder& order, SwitchId s, const Turn& turn) {
  std::vector<SwitchId> found;
  for (const PortGroup& g : state.prepared.tree().down_groups(ends(state, turn).first))
    if (g.remote != s && state.is_alive(g.remote) && has_all_uplinks(state, g.remote)) found.push_back(g.remote);
  std::sort(found.begin(), found.end());
  std::erase_if(found, [&](SwitchId other) { return !turns_at(state, order, other).empty(); });
  if (found.size() > kMostCandidates) found.resize(kMostCandidates);
  return found;
}

bool admit(const WorkingState& state, SwitchId s, const std::vector<Turn>& turns, ChannelOrder& order) {
  std::vector<Turn> there;
  for (const Turn& turn : turns) {
    const std::optional<Turn> same = at_switch(state, s, turn);
    if (!same) return false;
    there.push_back(*same);
  }
  return order.insert_all(std::move(there));
}

}  // namespace

std::vector<Turn> turns_with_other_cables(const WorkingState& state) {
  std::vector<Turn> found;
  for (const SwitchId s : state.alive.losers)
    for (const Turn& turn : turns_at(state, state.prepared.order(), s))
      if (!is_left(state, turn) && on_left_cables(state, turn)) found.push_back(turn);
  return found;
}

void move_to_other_cables(const WorkingState& state, const std::vector<Turn>& turns, ChannelOrder& order) {
  const Fabric& fabric = state.prepared.fabric();
  const auto back = [&](ChannelId c) { return fabric.channel(fabric.peer(c).as_switch(), fabric.peer(c).port); };
  std::set<std::pair<ChannelId, ChannelId>> exchanged;
  // One cable is like the other, so that nothing has to be searched for once they have each other's numbers.
  const auto exchange = [&](ChannelId lost, ChannelId left) {
    if (lost == left || !exchanged.emplace(std::min(lost, back(lost)), std::min(left, back(left))).second) return;
    static_cast<void>(order.exchange({{lost, left}, {back(lost), back(left)}}));
  };
  std::vector<Turn> others;
  for (const Turn& turn : turns) {
    others.push_back(*on_left_cables(state, turn));
    exchange(turn.in, others.back().in);
    exchange(turn.out, others.back().out);
  }
  for (const Turn& turn : others) static_cast<void>(order.insert(turn.in, fabric.port(turn.out)));
}

std::vector<SwitchId> mend_turns(const WorkingState& state, ChannelOrder& order) {
  std::vector<SwitchId> mended;
  for (const SwitchId s : state.alive.losers) {
    if (state.prepared.is_bottom(s) || has_all_uplinks(state, s)) continue;
    const std::vector<Turn> turns = lost_turns(state, s);
    if (turns.empty()) continue;
    const std::vector<SwitchId> others = candidates(state, order, s, turns.front());
    if (std::ranges::any_of(others, [&](SwitchId other) { return admit(state, other, turns, order); }))
      mended.push_back(s);
  }
  sort_unique(mended);
  return mended;
}

}  // namespace espalier
