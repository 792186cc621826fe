// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/flow_shedder.h"

#include <algorithm>
#include <utility>

#include "core/repair/new_paths/room.h"

namespace espalier {

FlowShedder::FlowShedder(WorkingState& state, const OpenEntries& open, ClassLoads& loads)
    : state_(state), prepared_(state.prepared), open_(open), loads_(loads), warmer_(state, loads) {}

FlowShedder::Move FlowShedder::move_of(const StrainedFlow& flow) const {
  const std::size_t lid = open_.columns[flow.column];
  return {prepared_.leaves()[flow.leaf], lid, flow.column, flow.leaf, prepared_.flow(flow.leaf, lid)};
}

void FlowShedder::shed_strained(const StrainedFlow& flow) {
  const Move move = move_of(flow);
  if (flow.has_chosen || !state_.find_path(move.x, move.lid, old_path_)) return;
  if (std::ranges::none_of(old_path_, [&](ChannelId c) { return is_strained(state_, loads_, c, move.flow); })) return;
  take_off_old_path(move.flow);
  if (!take_first_with_room(move)) take_cheapest(move);
}

void FlowShedder::shed_crowded(std::span<const StrainedFlow> flows) {
  for (std::size_t begin = 0; begin < flows.size(); begin += PathWarmer::kPaths) {
    const auto together = flows.subspan(begin, std::min(PathWarmer::kPaths, flows.size() - begin));
    for (const StrainedFlow& flow : together) {
      const Move move = move_of(flow);
      warmer_.add(move.x, move.lid, move.flow);
      state_.prefetch_reference_entry(move.x, move.lid);
    }
    warmer_.warm();
    for (const StrainedFlow& flow : together)
      if (!flow.has_chosen && prepared_.odd(open_.columns[flow.column]).empty()) move_if_crowded(move_of(flow));
  }
}

void FlowShedder::move_if_crowded(const Move& move) {
  if (!state_.is_written(move.x, move.lid) || !state_.find_path(move.x, move.lid, old_path_)) return;
  const auto is_above = [&](ChannelId c) { return loads_.is_above(c, move.flow, state_.limit(c)); };
  if (std::ranges::none_of(old_path_, is_above)) return;
  take_off_old_path(move.flow);
  if (!take_first_with_room(move)) put_on(old_path_, move.flow);
}

void FlowShedder::take_off_old_path(ClassLoads::Flow flow) {
  for (const ChannelId c : old_path_) loads_.remove(c, flow);
}

void FlowShedder::put_on(const std::vector<ChannelId>& path, ClassLoads::Flow flow) {
  for (const ChannelId c : path) loads_.add(c, flow);
}

// False: there is none. Another port leads one hop closer if the path behind it is as long, as all entries on it do.
bool FlowShedder::take_first_with_room(const Move& move) {
  const std::span<const ChannelId> all = prepared_.channels_in_order(move.x);
  const std::size_t num_up = prepared_.tree().up_groups(move.x).size();
  const auto is_up = [&](ChannelId c) { return prepared_.group(c) < num_up; };
  const ChannelId own = old_path_.front();
  const std::size_t first = prepared_.place_of_group(own) + prepared_.leaf(prepared_.destination(move.lid));
  for (std::size_t i = 1; i <= all.size(); ++i) {
    const ChannelId c = all[(first + i) % all.size()];
    if (c == own || !state_.is_left(c) || is_up(c) != is_up(own)) continue;
    if (!finds_room(state_, loads_, c, move.lid, move.flow, path_) || path_.size() != old_path_.size()) continue;
    take(move, c);
    put_on(path_, move.flow);
    return true;
  }
  return false;
}

void FlowShedder::take_cheapest(const Move& move) {
  cheapest_ = old_path_;
  std::uint64_t least = 0;
  for (const ChannelId c : cheapest_) least += loads_.price(c, move.flow);
  find_closer(state_, move.x, prepared_.destination(move.lid), places_);
  const CloserChannels all(prepared_, move.x, places_);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != old_path_.front() && find_cheaper(all[i], move, least)) std::swap(cheapest_, path_);
  if (cheapest_.front() != old_path_.front()) take(move, cheapest_.front());
  put_on(cheapest_, move.flow);
}

// Whether the path behind this channel, in path_ then, costs the flow less than `least`, which becomes its price.
bool FlowShedder::find_cheaper(ChannelId first, const Move& move, std::uint64_t& least) {
  std::uint64_t sum = 0;
  const bool is_cheaper = state_.find_path_while(first, move.lid, path_, [&](ChannelId c) {
    sum += loads_.price(c, move.flow);
    return sum < least;
  });
  if (is_cheaper) least = sum;
  return is_cheaper;
}

FlatLists<std::uint32_t> FlowShedder::shed() const {
  return FlatLists<std::uint32_t>(open_.columns.size(), [&](const auto& add) {
    for (const auto& [column, leaf] : shed_) add(column, leaf);
  });
}

void FlowShedder::take(const Move& move, ChannelId channel) {
  state_.set(move.x, move.lid, prepared_.fabric().port(channel));
  shed_.emplace_back(move.column, move.leaf);
}

}  // namespace espalier
