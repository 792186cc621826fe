// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/switch_turns.h"

#include <algorithm>

namespace espalier {
namespace {

// The channel, or one beside it where it is lost.
std::optional<ChannelId> left_of_cables(const WorkingState& state, ChannelId c) {
  if (state.is_left(c)) return c;
  const SwitchId s = state.prepared.fabric().source(c);
  for (const ChannelId other : state.prepared.channels(s))
    if (state.is_left(other) && state.prepared.far(other) == state.prepared.far(c)) return other;
  return std::nullopt;
}

}  // namespace

std::vector<Turn> turns_at(const WorkingState& state, const ChannelOrder& order, SwitchId s) {
  const Fabric& fabric = state.prepared.fabric();
  const FatTree& tree = state.prepared.tree();
  std::vector<Turn> turns;
  for (const PortGroup& from : tree.up_groups(s))
    for (const PortNum p : tree.ports(from)) {
      const Peer& above = fabric.peer(s, p);
      const ChannelId in = fabric.channel(above.as_switch(), above.port);
      if (!order.has_any(in)) continue;
      for (const PortGroup& to : tree.up_groups(s))
        for (const PortNum q : tree.ports(to))
          if (order.has(in, q)) turns.push_back({in, fabric.channel(s, q)});
    }
  return turns;
}

std::vector<Turn> turns_of_odd_entries(const WorkingState& state) {
  std::vector<Turn> turns;
  for (std::size_t lid = 1; lid < state.prepared.num_lids(); ++lid) {
    const SwitchId t = state.prepared.destination(lid);
    for (const SwitchId s : state.prepared.odd(lid)) {
      if (!state.is_alive(s) || !state.is_alive(t) || !state.reaches(s, t)) continue;
      ChannelId in = state.channel_of(s, lid);
      if (in == kNoChannel) continue;
      for (const PortGroup& from : state.prepared.tree().up_groups(s)) {
        if (!state.is_alive(from.remote) || !state.reaches(from.remote, t)) continue;
        const ChannelId down = state.channel_of(from.remote, lid);
        if (down != kNoChannel && state.prepared.far(down) == s) turns.push_back({down, in});
      }
      for (std::size_t hops = 1; hops < kMostHops && state.prepared.far(in) != t; ++hops) {
        const ChannelId out = state.channel_of(state.prepared.far(in), lid);
        if (out == kNoChannel) break;
        turns.push_back({in, out});
        in = out;
      }
    }
  }
  std::sort(turns.begin(), turns.end(), is_before);
  const auto is_same = [](const Turn& a, const Turn& b) { return a.in == b.in && a.out == b.out; };
  turns.erase(std::unique(turns.begin(), turns.end(), is_same), turns.end());
  return turns;
}

std::pair<SwitchId, SwitchId> ends(const WorkingState& state, const Turn& turn) {
  return {state.prepared.fabric().source(turn.in), state.prepared.far(turn.out)};
}

std::optional<Turn> on_left_cables(const WorkingState& state, const Turn& turn) {
  const std::optional<ChannelId> in = left_of_cables(state, turn.in);
  const std::optional<ChannelId> out = left_of_cables(state, turn.out);
  if (!in || !out) return std::nullopt;
  return Turn{*in, *out};
}

// Whether s has all links to the switches above it that are there. One of these that is gone is missing everywhere.
bool has_all_uplinks(const WorkingState& state, SwitchId s) {
  const FatTree& tree = state.prepared.tree();
  for (const PortGroup& g : tree.up_groups(s))
    if (state.is_alive(g.remote))
      for (const PortNum port : tree.ports(g))
        if (!state.is_left(tree.fabric().channel(s, port))) return false;
  return true;
}

// Whether a link of this group of s is left.
bool has_link(const WorkingState& state, SwitchId s, const PortGroup& group) {
  const FatTree& tree = state.prepared.tree();
  return std::ranges::any_of(tree.ports(group),
                             [&](PortNum port) { return state.is_left(tree.fabric().channel(s, port)); });
}

}  // namespace espalier
