// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which entries of the reference no longer stand. An entry stays when its link is left and leads one hop closer to the
// destination by the costs of what is left: then the path behind it is up-down and ends, whatever else is chosen. All
// others of pairs that still have an up-down path are open.
//
// Open are also entries over links that became slower (slower_entries.h).
//
// A column is all entries of one LID. A fault touches the columns that have an entry on a lost link, and no others:
// where no entry of a column is on such a link, all its paths are whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/flat_lists.h"
#include "core/repair/broken/working_state.h"

namespace espalier {

// Channels of one switch that lead one hop closer to a destination: what an open entry may get. By their places among all
// of the switch (PreparedReference::channels_in_order), ascending. To find them takes a look at a row of costs for each
// port, anywhere in memory; so it is done once for all entries of a switch and destination.
class CloserChannels {
 public:
  // REQUIRES: both outlive this.
  CloserChannels(const PreparedReference& prepared, SwitchId s, std::span<const std::uint8_t> places)
      : prepared_(prepared), channels_(prepared.channels_in_order(s).data()), places_(places) {}

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] ChannelId operator[](std::size_t i) const { return channels_[places_[i]]; }
  [[nodiscard]] bool has(ChannelId c) const {
    return std::ranges::any_of(places_, [&](std::uint8_t place) { return channels_[place] == c; });
  }

  // Where the rotation begins for the entry of s for this LID, whose channel in the reference is `old`: behind that,
  // further by the destination's leaf.
  [[nodiscard]] std::size_t first_in_rotation(ChannelId old, std::size_t lid) const {
    std::size_t behind = 0;
    if (old != kNoChannel) {
      const std::size_t place = prepared_.place_of_group(old);
      for (behind = std::min(places_.size(), place); behind > 0 && places_[behind - 1] >= place;) --behind;
    }
    const std::size_t further = prepared_.is_host_lid(lid) ? prepared_.leaf(prepared_.destination(lid)) : lid;
    return (behind + further) % places_.size();
  }

 private:
  const PreparedReference& prepared_;
  const ChannelId* channels_;
  std::span<const std::uint8_t> places_;
};

// Lists of places for many destinations of one switch, one behind the other.
class PlaceLists {
 public:
  // Where some of them are, by the sum of their places; all 0 at first.
  using Known = std::array<std::uint32_t, 32>;

  // Adds one, unless the like of it is known. Where it is. Most are all places but one or two.
  std::uint32_t add(std::span<const std::uint8_t> places, Known& all_known) {
    std::uint32_t sum = 0;
    for (const std::uint8_t place : places) sum += place;
    std::uint32_t& known = all_known[sum % all_known.size()];
    if (known < bytes_.size() && std::ranges::equal(at(known), places)) return known;
    known = static_cast<std::uint32_t>(bytes_.size());
    bytes_.push_back(static_cast<std::uint8_t>(places.size()));
    bytes_.insert(bytes_.end(), places.begin(), places.end());
    return known;
  }
  [[nodiscard]] std::span<const std::uint8_t> at(std::uint32_t where) const {
    return {bytes_.data() + where + 1, bytes_[where]};
  }
  void prefetch(std::uint32_t where) const { __builtin_prefetch(bytes_.data() + where); }

 private:
  std::vector<std::uint8_t> bytes_;  // each: how many, then these
};

// Of channels of s that are left and lead one hop closer to t.
// REQUIRES: an up-down path is left from s to t.
void find_closer(const WorkingState& state, SwitchId s, SwitchId t, std::vector<std::uint8_t>& places);

// visit(ChannelId): channels of s that are left and lead one hop closer to t, in the order of groups and ports.
// REQUIRES: an up-down path is left from s to t.
template <class Visit>
void for_each_closer_channel(const WorkingState& state, SwitchId s, SwitchId t, Visit&& visit) {
  const FatTree& tree = state.prepared.tree();
  const Hops own = state.costs.cost(s, t);
  const bool down = state.costs.down_cost(s, t) != kUnreachable;
  for (const PortGroup& g : down ? tree.down_groups(s) : tree.up_groups(s)) {
    if ((down ? state.costs.down_cost(g.remote, t) : state.costs.cost(g.remote, t)) >= own) continue;
    for (const PortNum port : tree.ports(g))
      if (const ChannelId c = state.channel(s, port); c != kNoChannel) visit(c);
  }
}

struct OpenEntries {
  std::vector<std::uint32_t> columns;  // LIDs that a fault touches, ascending
  // Per column: the switches whose entry is open, from the highest to the lowest.
  std::vector<std::uint32_t> first;  // into switches; one more than columns
  LargeVector<SwitchId> switches;
  LargeVector<std::uint32_t> closer;      // for each of these: where in the lists of its switch
  IdVector<SwitchId, PlaceLists> places;  // of channels that lead closer
  std::vector<std::uint8_t> lost_detour;  // per column: an entry on a lost link of a pair without an up-down path
  SwitchLists lost_detours;               // per LID: the living switches with such an entry
  // Per column: leaves that left a whole entry, by their places, when a PathChooser has run.
  FlatLists<std::uint32_t> shed;

  [[nodiscard]] std::span<const SwitchId> at(std::size_t column) const {
    return {switches.data() + first[column], first[column + 1] - first[column]};
  }
  // The channels that may take the i-th entry of `switches`.
  [[nodiscard]] CloserChannels closer_at(const PreparedReference& prepared, std::size_t i) const {
    return {prepared, switches[i], places[switches[i]].at(closer[i])};
  }
  // Has their list on its way.
  void prefetch_closer(std::size_t i) const { places[switches[i]].prefetch(closer[i]); }
};

[[nodiscard]] OpenEntries find_open_entries(const WorkingState& state);

}  // namespace espalier
