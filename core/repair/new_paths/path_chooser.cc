// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/path_chooser.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/repair/new_paths/flow_shedder.h"
#include "core/repair/new_paths/room.h"
#include "core/repair/new_paths/taken_out.h"

namespace espalier {
PathChooser::PathChooser(WorkingState& state, OpenEntries& open)
    : state_(state),
      prepared_(state.prepared),
      open_(open),
      loads_(state.prepared.living_loads(state.alive)),
      broken_flows_(state, open),
      warmer_(state, loads_),
      open_stamp_(state.prepared.fabric().num_switches()),
      open_rank_(open_stamp_.size()),
      open_leaf_(prepared_.leaves().size()) {}

PathChooser::Column PathChooser::column_at(std::uint32_t i) const {
  const std::size_t lid = open_.columns[i];
  const SwitchId t = prepared_.destination(lid);
  return {lid, t, prepared_.is_host_lid(lid) ? prepared_.leaf(t) : kNoLeaf, i};
}

void PathChooser::run() {
  loads_.slow_down(state_.alive.slower);
  are_many_broken_ = !are_few_broken(prepared_, broken_flows_);
  if (!are_many_broken_) loads_.count_no_hosts();
  take_out(state_, open_, broken_flows_, loads_);
  for (const Where where : {Where::kAboveBottom, Where::kAtBottom}) choose_all_entries(where);
  add_late_flows();
  ClosedForm(state_, open_, broken_flows_, loads_).run(strained_);
  FlowShedder shedder(state_, open_, loads_);
  for (const StrainedFlow& flow : strained_) {
    const Column column = column_at(flow.column);
    if (!prepared_.odd(column.lid).empty()) continue;
    shedder.shed_strained(flow);
    change_cables(flow.leaf, column);
  }
  shedder.shed_crowded(crowded_);
  open_.shed = shedder.shed();
  loads_.settle();
}

// REQUIRES: no broken flow is in the loads.
void PathChooser::choose_all_entries(Where where) {
  const auto num_columns = static_cast<std::uint32_t>(open_.columns.size());
  for (std::uint32_t begin = 0, end = 0; begin < num_columns; begin = end) {
    for (std::size_t count = 0; end < num_columns && count < PathWarmer::kPaths; ++end)
      count += broken_flows_.to(end).size();
    warm(begin, end, where);
    for (std::uint32_t i = begin; i < end; ++i) {
      if (open_.at(i).empty()) continue;
      if (where == Where::kAtBottom && prepared_.odd(open_.columns[i]).empty())
        choose_at_bottom(column_at(i));
      else
        choose_entries(column_at(i), where);
    }
  }
}

// The same where no path passes the bottom but at its ends, and each leads to the destination, as all above the bottom have
// chosen.
void PathChooser::choose_at_bottom(const Column& column) {
  for (std::size_t entry = open_.first[column.index]; entry < open_.first[column.index + 1]; ++entry) {
    const SwitchId s = open_.switches[entry];
    if (!prepared_.is_bottom(s)) continue;
    const std::uint32_t leaf = column.to_leaf != kNoLeaf ? prepared_.leaf(s) : kNoLeaf;
    if (leaf != kNoLeaf && (keep_at_bottom(entry, column) || choose_first_that_fits(entry, column))) continue;
    const BrokenFlow flow{0, leaf};
    choose(entry, column, &flow, &flow + (leaf != kNoLeaf ? 1 : 0));
  }
}

// The channel of an entry that is open since a link on the way is slower; else kNoChannel.
ChannelId PathChooser::slower_channel(std::size_t entry, const Column& column) const {
  if (state_.alive.slower.empty()) return kNoChannel;
  const ChannelId old = state_.old_channel(open_.switches[entry], column.lid);
  return old != kNoChannel && open_.closer_at(prepared_, entry).has(old) ? old : kNoChannel;
}

// Whether the leaf keeps its entry, though links on the way are slower: as long as there is room.
bool PathChooser::keep_at_bottom(std::size_t entry, const Column& column) {
  const SwitchId s = open_.switches[entry];
  if (slower_channel(entry, column) == kNoChannel || !find_path_from(s, column)) return false;
  const ClassLoads::Flow flow = prepared_.flow(prepared_.leaf(s), column.lid);
  if (!keeps_limits(path_, flow)) return false;
  for (const ChannelId c : path_) loads_.add(c, flow);
  return true;
}

bool PathChooser::keeps_limits(std::span<const ChannelId> channels, ClassLoads::Flow flow) const {
  return std::ranges::all_of(channels, [&](ChannelId c) { return loads_.keeps_limit(c, flow, state_.limit(c)); });
}

// False: there is none, and nothing has been chosen.
bool PathChooser::choose_first_that_fits(std::size_t entry, const Column& column) {
  const SwitchId s = open_.switches[entry];
  const std::uint32_t leaf = prepared_.leaf(s);
  const ClassLoads::Flow flow = prepared_.flow(leaf, column.lid);
  const CloserChannels all = open_.closer_at(prepared_, entry);
  const std::size_t first = first_[entry - warmed_];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t at = first + i < all.size() ? first + i : first + i - all.size();
    if (!finds_room(state_, loads_, all[at], column.lid, flow, path_)) continue;
    state_.set(s, column.lid, prepared_.fabric().port(all[at]));
    for (const ChannelId c : path_) loads_.add(c, flow);  // within the limit
    return true;
  }
  return false;
}

// The paths that flows are likely to take in these columns.
void PathChooser::warm(std::uint32_t begin, std::uint32_t end, Where where) {
  warmed_ = open_.first[begin];
  first_.resize(open_.first[end] - warmed_);
  for (std::uint32_t i = begin; i < end; ++i)
    for (std::size_t entry = open_.first[i]; entry < open_.first[i + 1]; ++entry) {
      const SwitchId s = open_.switches[entry];
      if (prepared_.is_bottom(s) != (where == Where::kAtBottom)) continue;
      open_.prefetch_closer(entry);
      state_.prefetch_reference_entry(s, open_.columns[i]);
    }
  for (std::uint32_t i = begin; i < end; ++i) {
    const Column column = column_at(i);
    if (column.to_leaf == kNoLeaf) continue;
    if (where == Where::kAboveBottom) warm_behind_leaves(column);
    if (where != Where::kAtBottom) continue;
    for (std::size_t entry = open_.first[i]; entry < open_.first[i + 1]; ++entry) {
      const SwitchId s = open_.switches[entry];
      if (!prepared_.is_bottom(s) || prepared_.leaf(s) == kNoLeaf) continue;
      const CloserChannels all = open_.closer_at(prepared_, entry);
      const std::size_t first = all.first_in_rotation(state_.old_channel(s, column.lid), column.lid);
      first_[entry - warmed_] = static_cast<std::uint8_t>(first);
      warmer_.add_behind(all[first], column.lid, prepared_.flow(prepared_.leaf(s), column.lid));
    }
  }
  warmer_.warm();
}

// Those of flows whose leaf keeps its entry: what others come to is known when their leaves have chosen.
void PathChooser::warm_behind_leaves(const Column& column) {
  for (const SwitchId s : open_.at(column.index))
    if (const std::uint32_t leaf = prepared_.leaf(s); leaf != kNoLeaf) open_leaf_[leaf] = column.index + 1;
  for (const std::uint32_t leaf : broken_flows_.to(column.index))
    if (open_leaf_[leaf] != column.index + 1)
      warmer_.add(prepared_.leaves()[leaf], column.lid, prepared_.flow(leaf, column.lid));
}

// Chooses the column's open entries there, from the top down.
void PathChooser::choose_entries(const Column& column, Where where) {
  const bool at_bottom = where == Where::kAtBottom;
  const auto open = open_.at(column.index);
  if (std::none_of(open.begin(), open.end(), [&](SwitchId s) { return prepared_.is_bottom(s) == at_bottom; })) return;
  for (std::uint32_t rank = 0; rank < open.size(); ++rank) {
    if (at_bottom && !prepared_.is_bottom(open[rank])) continue;  // chosen already
    open_stamp_[index(open[rank])] = column.index + 1;
    open_rank_[index(open[rank])] = rank;
  }
  sort_flows(column, at_bottom);
  const BrokenFlow* flow = column_flows_.data();
  const BrokenFlow* const end = flow + column_flows_.size();
  for (std::uint32_t rank = 0; rank < open.size(); ++rank) {
    const BrokenFlow* const begin = flow;
    while (flow != end && flow->first_open == rank) ++flow;
    if (prepared_.is_bottom(open[rank]) == at_bottom) choose(open_.first[column.index] + rank, column, begin, flow);
    open_stamp_[index(open[rank])] = 0;
  }
}

// The column's flows whose first open entry is at the bottom, or those of all others, by that entry.
void PathChooser::sort_flows(const Column& column, bool at_bottom) {
  column_flows_.clear();
  for (const std::uint32_t leaf : broken_flows_.to(column.index)) {
    SwitchId s = prepared_.leaves()[leaf];
    for (std::size_t hops = 0; open_stamp_[index(s)] != column.index + 1; ++hops) {
      const ChannelId c = hops < kMostHops ? state_.channel_of(s, column.lid) : kNoChannel;
      if (c == kNoChannel || s == column.t) {
        s = kNoSwitch;
        break;
      }
      s = prepared_.far(c);
    }
    if (s != kNoSwitch && prepared_.is_bottom(s) == at_bottom) column_flows_.push_back({open_rank_[index(s)], leaf});
  }
  std::sort(column_flows_.begin(), column_flows_.end(), [](const BrokenFlow& a, const BrokenFlow& b) {
    return std::pair(a.first_open, a.leaf) < std::pair(b.first_open, b.leaf);
  });
}

// Those of an entry that need not be open, until the next call.
CloserChannels PathChooser::closer_from(SwitchId s, SwitchId t) {
  find_closer(state_, s, t, places_);
  return {prepared_, s, places_};
}

// The first in rotation that fits; where none does the cheapest.
PathChooser::Path PathChooser::best_path(std::size_t entry, const Column& column, const BrokenFlow* begin,
                                         const BrokenFlow* end) {
  const CloserChannels all = open_.closer_at(prepared_, entry);
  const std::size_t first = all.first_in_rotation(state_.old_channel(open_.switches[entry], column.lid), column.lid);
  path_channels_.clear();
  if (const ChannelId old = slower_channel(entry, column); old != kNoChannel) {
    const Path path = path_over(old, column);
    const auto keeps = [&](const BrokenFlow& f) {
      return keeps_limits(channels(path), prepared_.flow(f.leaf, column.lid));
    };
    if (begin == end || (path.leads && std::all_of(begin, end, keeps))) return path;
    path_channels_.clear();
  }
  if (begin == end) return {all[first], 0, 0, false};
  tried_.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t at = first + i < all.size() ? first + i : first + i - all.size();
    tried_.push_back(path_over(all[at], column));
    if (fits(tried_.back(), column, begin, end)) return tried_.back();
  }
  // Among equals the first candidate, wherever the rotation began; if none leads anywhere the first in rotation.
  const Path* best = &tried_.front();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Path& path = tried_[i < first ? i + all.size() - first : i - first];
    if (const std::uint64_t now = price(path, column, begin, end, least); now < least) {
      least = now;
      best = &path;
    }
  }
  return *best;
}

PathChooser::Path PathChooser::path_over(ChannelId first, const Column& column) {
  const auto begin = static_cast<std::uint32_t>(path_channels_.size());
  path_channels_.push_back(first);
  const bool leads = state_.append_path(state_.far_left(first), column.lid, path_channels_);
  return {first, begin, static_cast<std::uint32_t>(path_channels_.size()), leads};
}

void PathChooser::choose(std::size_t entry, const Column& column, const BrokenFlow* begin, const BrokenFlow* end) {
  const SwitchId s = open_.switches[entry];
  const Path best = best_path(entry, column, begin, end);
  state_.set(s, column.lid, prepared_.fabric().port(best.first));
  if (!best.leads)
    for (const BrokenFlow* f = begin; f != end; ++f)
      late_.push_back({column.index, f->leaf, prepared_.leaves()[f->leaf] == s});
  if (!best.leads) return;
  for (const BrokenFlow* f = begin; f != end; ++f) {
    const ClassLoads::Flow flow = prepared_.flow(f->leaf, column.lid);
    bool exceeds = false, crowds = false;
    const auto put_on = [&](ChannelId c) {
      loads_.add(c, flow);
      if (!loads_.is_above(c, flow, state_.limit(c))) return;
      crowds = true;
      exceeds = exceeds || is_over(c, flow);
    };
    SwitchId x = prepared_.leaves()[f->leaf];
    const bool is_own = x == s;
    while (x != s) {
      const ChannelId c = state_.channel_of(x, column.lid);
      put_on(c);
      x = prepared_.far(c);
    }
    for (const ChannelId c : channels(best)) put_on(c);
    if (exceeds)
      strained_.push_back({column.index, f->leaf, is_own});
    else if (crowds && are_many_broken_)
      crowded_.push_back({column.index, f->leaf, is_own});
  }
}

// Paths that led nowhere when a port was chosen, as one behind it was not chosen yet.
void PathChooser::add_late_flows() {
  for (const StrainedFlow& late : late_) {
    const Column column = column_at(late.column);
    if (!find_path_from(prepared_.leaves()[late.leaf], column)) continue;
    const ClassLoads::Flow flow = prepared_.flow(late.leaf, column.lid);
    for (const ChannelId c : path_) loads_.add(c, flow);
    if (std::ranges::any_of(path_, [&](ChannelId c) { return is_over(c, flow); })) strained_.push_back(late);
  }
}

// The channels from s on, in path_. False: they do not lead to the destination.
bool PathChooser::find_path_from(SwitchId s, const Column& column) { return state_.find_path(s, column.lid, path_); }

bool PathChooser::fits(const Path& path, const Column& column, const BrokenFlow* begin, const BrokenFlow* end) const {
  for (const BrokenFlow* f = begin; f != end; ++f) {
    const ClassLoads::Flow flow = prepared_.flow(f->leaf, column.lid);
    for (const ChannelId c : channels(path))
      if (!loads_.has_room(c, flow, state_.limit(c))) return false;
  }
  return true;
}

std::uint64_t PathChooser::price(const Path& path, const Column& column, const BrokenFlow* begin, const BrokenFlow* end,
                                 std::uint64_t enough) const {
  if (!path.leads) return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (const ChannelId c : channels(path)) {
    for (const BrokenFlow* f = begin; f != end; ++f) sum += loads_.price(c, prepared_.flow(f->leaf, column.lid));
    if (sum >= enough) break;
  }
  return sum;
}

// Where the flow of this leaf exceeds a limit on a cable downward beside which there are others: the cheapest of these for all
// flows to the LID that come that way.
void PathChooser::change_cables(std::uint32_t leaf, const Column& column) {
  const ClassLoads::Flow flow = prepared_.flow(leaf, column.lid);
  for (std::size_t i = 1; find_path_from(prepared_.leaves()[leaf], column) && i < path_.size(); ++i)
    if (is_over(path_[i], flow)) change_cable(path_[i], column);
}

void PathChooser::change_cable(ChannelId own, const Column& column) {
  const SwitchId s = prepared_.fabric().source(own);
  if (state_.costs.down_cost(s, column.t) == kUnreachable) return;
  cables_.clear();
  const CloserChannels all = closer_from(s, column.t);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (prepared_.far(all[i]) == prepared_.far(own)) cables_.push_back(all[i]);
  if (cables_.size() < 2) return;
  passing_.clear();
  for (std::uint32_t x = 0; x < prepared_.leaves().size(); ++x)
    if (state_.is_alive(prepared_.leaves()[x]) && find_path_from(prepared_.leaves()[x], column) &&
        std::find(path_.begin(), path_.end(), own) != path_.end())
      passing_.push_back(prepared_.flow(x, column.lid));
  const auto price = [&](ChannelId c) {
    std::uint64_t sum = 0;
    for (const ClassLoads::Flow& flow : passing_) sum += loads_.price(c, flow);
    return sum;
  };
  for (const ClassLoads::Flow& flow : passing_) loads_.remove(own, flow);
  ChannelId best = own;
  std::uint64_t least = price(own);
  for (const ChannelId c : cables_)
    if (const std::uint64_t now = price(c); now < least) {
      least = now;
      best = c;
    }
  for (const ClassLoads::Flow& flow : passing_) loads_.add(best, flow);
  if (best != own) state_.set(s, column.lid, prepared_.fabric().port(best));
}

}  // namespace espalier
