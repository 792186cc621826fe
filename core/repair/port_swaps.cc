// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/port_swaps.h"

#include <algorithm>

namespace espalier {
namespace {

// Flows are shed where a load is above its limit by more than one in so many: with limit 5, at 7. Shedding at 6 writes
// twice the blocks for ten lost links of 10 080.
constexpr unsigned kShedShare = 5;

constexpr int kRounds = 4;  // at one switch; most swaps are found in the first

// Only where less than one in so many flows is broken: else most blocks of leaves are written anyway, and what leaves shed
// makes room (8 640 hosts, 86 links or 8 switches: 6 flows under the worst shift, and 7 where entries swap first).
constexpr std::size_t kFewFlows = 50;

}  // namespace

bool is_strained(const PreparedReference& prepared, const ClassLoads& loads, ChannelId c, ClassLoads::Flow flow) {
  const unsigned limit = prepared.limit(c);
  return loads.most(c, flow) > limit + limit / kShedShare;
}

PortSwaps::PortSwaps(WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads)
    : state_(state), prepared_(state.prepared), open_(open), broken_flows_(broken_flows), loads_(loads) {}

void PortSwaps::run(std::vector<StrainedFlow>& strained) {
  if (const std::size_t num_flows = prepared_.leaves().size() * prepared_.num_lids();  // nearly
      broken_flows_.count() * kFewFlows > num_flows)
    return;
  const std::vector<SwitchId> switches = strained_switches(strained);
  if (switches.empty()) return;
  const std::vector<Passing> flows = flows_over(switches);
  auto end = flows.begin();
  for (std::uint32_t place = 0; place < switches.size(); ++place) {
    const SwitchId s = switches[place];
    const auto begin = end;
    end = std::find_if(begin, flows.end(), [&](const Passing& flow) { return flow.place != place; });
    gather(s, {begin, end});
    bool has_changed = true;
    for (int round = 0; has_changed && round < kRounds; ++round) {
      has_changed = false;
      for (Entry& entry : entries_)
        if (!entry.is_settled && is_strained_behind(s, entry)) has_changed = swap_with_any(s, entry) || has_changed;
    }
  }
  for (const Passing& flow : flows)
    if (is_strained_now(flow)) strained.push_back({flow.column, flow.leaf, is_open(flow)});
}

bool PortSwaps::is_strained_now(const Passing& passing) {
  const std::size_t lid = open_.columns[passing.column];
  const ClassLoads::Flow flow = prepared_.flow(passing.leaf, lid);
  state_.find_path(prepared_.leaves()[passing.leaf], lid, path_);
  return std::any_of(path_.begin(), path_.end(), [&](ChannelId c) { return is_strained(prepared_, loads_, c, flow); });
}

bool PortSwaps::is_open(const Passing& passing) const {
  const auto open = open_.at(passing.column);
  return std::find(open.begin(), open.end(), prepared_.leaves()[passing.leaf]) != open.end();
}

// Those above the bottom with an open entry on the path of such a flow, ascending.
std::vector<SwitchId> PortSwaps::strained_switches(const std::vector<StrainedFlow>& strained) {
  std::vector<SwitchId> found;
  for (const StrainedFlow& flow : strained) {
    const std::size_t lid = open_.columns[flow.column];
    state_.find_path(prepared_.leaves()[flow.leaf], lid, path_);
    const auto open = open_.at(flow.column);
    for (const ChannelId c : path_)
      if (const SwitchId s = prepared_.fabric().source(c);
          !prepared_.is_bottom(s) && std::find(open.begin(), open.end(), s) != open.end())
        found.push_back(s);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Flows that pass an open entry of one of these, by switch, column and leaf.
std::vector<PortSwaps::Passing> PortSwaps::flows_over(const std::vector<SwitchId>& switches) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  IdVector<SwitchId, std::uint32_t> place(prepared_.fabric().num_switches(), kNone);
  for (std::uint32_t i = 0; i < switches.size(); ++i) place[switches[i]] = i;
  IdVector<SwitchId, std::uint32_t> stamp(prepared_.fabric().num_switches(), kNone);  // column in which it is open
  std::vector<Passing> flows;
  for (std::uint32_t column = 0; column < open_.columns.size(); ++column) {
    if (broken_flows_.to(column).empty()) continue;
    bool is_any_open = false;
    for (const SwitchId s : open_.at(column))
      if (place[s] != kNone) {
        stamp[s] = column;
        is_any_open = true;
      }
    if (!is_any_open) continue;
    for (const std::uint32_t leaf : broken_flows_.to(column)) {
      state_.find_path(prepared_.leaves()[leaf], open_.columns[column], path_);
      for (const ChannelId c : path_)
        if (const SwitchId s = prepared_.fabric().source(c); stamp[s] == column)
          flows.push_back({place[s], column, leaf});
    }
  }
  std::stable_sort(flows.begin(), flows.end(), [](const Passing& a, const Passing& b) { return a.place < b.place; });
  return flows;
}

// Its open entries, from the flows that pass them.
void PortSwaps::gather(SwitchId s, std::span<const Passing> flows) {
  entries_.clear();
  leaves_.clear();
  closer_.clear();
  by_shift_.clear();
  for (const Passing& flow : flows) {
    if (entries_.empty() || entries_.back().column != flow.column) {
      const std::size_t lid = open_.columns[flow.column];
      const auto size = static_cast<std::uint32_t>(leaves_.size());
      Entry entry{flow.column, lid, state_.channel_of(s, lid), {size, size}, {}, false};
      const SwitchId t = prepared_.destination(lid);
      if (!entries_.empty() && prepared_.destination(entries_.back().lid) == t) {
        entry.closer = entries_.back().closer;
      } else {
        entry.closer.begin = static_cast<std::uint32_t>(closer_.size());
        for_each_closer_channel(state_, s, t, [&](ChannelId c) { closer_.push_back(c); });
        entry.closer.end = static_cast<std::uint32_t>(closer_.size());
      }
      entries_.push_back(entry);
    }
    Entry& entry = entries_.back();
    leaves_.push_back(flow.leaf);
    ++entry.leaves.end;
    by_shift_.emplace_back(loads_.shift(prepared_.flow(flow.leaf, entry.lid)),
                           static_cast<std::uint32_t>(entries_.size() - 1));
  }
  std::sort(by_shift_.begin(), by_shift_.end());
}

bool PortSwaps::may_lead_to(const Entry& entry, ChannelId c) const {
  const auto end = closer_.begin() + entry.closer.end;
  return std::find(closer_.begin() + entry.closer.begin, end, c) != end;
}

// Whether a flow of the entry is strained from s on.
bool PortSwaps::is_strained_behind(SwitchId s, const Entry& entry) {
  state_.find_path(s, entry.lid, path_);
  for (const std::uint32_t leaf : leaves(entry)) {
    const ClassLoads::Flow flow = prepared_.flow(leaf, entry.lid);
    for (const ChannelId c : path_)
      if (is_strained(prepared_, loads_, c, flow)) return true;
  }
  return false;
}

template <class Visit>
bool PortSwaps::for_each_in_shift(std::uint32_t shift, Visit visit) {
  const std::pair<std::uint32_t, std::uint32_t> first{shift, 0};
  for (auto at = std::lower_bound(by_shift_.begin(), by_shift_.end(), first);
       at != by_shift_.end() && at->first == shift; ++at)
    if (!visit(entries_[at->second])) return false;
  return true;
}

// The first swap that costs less. What keeps an entry from moving alone is a flow of its that finds the other channel full: so
// only an entry with a flow in the same class helps.
bool PortSwaps::swap_with_any(SwitchId s, Entry& entry) {
  entry.is_settled = true;
  const std::span<const ChannelId> own(&entry.channel, 1);
  const std::uint64_t price_at_once = take_off(entry, own);
  static_cast<void>(put_on(entry, own));
  find_path(entry, entry.channel, path_);
  const Price price{take_off(entry, path_), price_at_once};
  for (const std::uint32_t leaf : leaves(entry))
    if (!for_each_in_shift(loads_.shift(prepared_.flow(leaf, entry.lid)),
                           [&](Entry& other) { return !swap_if_cheaper(s, entry, other, price); }))
      return true;
  find_path(entry, entry.channel, path_);
  static_cast<void>(put_on(entry, path_));
  return false;
}

// Whether what they cost at once, on the channels of s, is no more with each other's. Most swaps fail here, on two rows of
// loads that are at hand.
bool PortSwaps::may_be_cheaper(const Entry& one, const Entry& other, std::uint64_t price_of_one) {
  const std::span<const ChannelId> own(&one.channel, 1);
  const std::span<const ChannelId> theirs(&other.channel, 1);
  const std::uint64_t before = price_of_one + take_off(other, theirs);
  const std::uint64_t after = put_on(one, theirs) + put_on(other, own);
  static_cast<void>(take_off(one, theirs));
  static_cast<void>(take_off(other, own));
  static_cast<void>(put_on(other, theirs));
  return after <= before;
}

// `one` has been taken off, which was worth its price.
bool PortSwaps::swap_if_cheaper(SwitchId s, Entry& one, Entry& other, Price price_of_one) {
  if (one.channel == other.channel || !may_lead_to(one, other.channel) || !may_lead_to(other, one.channel))
    return false;
  if (!may_be_cheaper(one, other, price_of_one.at_once)) return false;
  if (!find_path(one, other.channel, of_one_) || !find_path(other, one.channel, of_other_)) return false;
  find_path(other, other.channel, from_other_);
  const std::uint64_t before = price_of_one.of_path + take_off(other, from_other_);
  std::uint64_t after = put_on(one, of_one_);
  if (after < before) {
    after += put_on(other, of_other_);
    if (after < before) {
      std::swap(one.channel, other.channel);
      for (const Entry* entry : {&one, &other}) {
        state_.set(s, entry->lid, prepared_.fabric().port(entry->channel));
        unsettle_beside(*entry);
      }
      return true;
    }
    static_cast<void>(take_off(other, of_other_));
  }
  static_cast<void>(take_off(one, of_one_));
  static_cast<void>(put_on(other, from_other_));
  return false;
}

void PortSwaps::unsettle_beside(const Entry& entry) {
  const std::uint32_t num_shifts = loads_.num_shifts();
  for (const std::uint32_t leaf : leaves(entry)) {
    const std::uint32_t shift = loads_.shift(prepared_.flow(leaf, entry.lid));
    for (const std::uint32_t beside : {shift, shift + 1, shift + num_shifts - 1})
      for_each_in_shift(beside % num_shifts, [](Entry& other) {
        other.is_settled = false;
        return true;
      });
  }
}

// Takes the entry's flows off the path: what they cost there.
std::uint64_t PortSwaps::take_off(const Entry& entry, std::span<const ChannelId> path) {
  std::uint64_t sum = 0;
  for (const std::uint32_t leaf : leaves(entry)) {
    const ClassLoads::Flow flow = prepared_.flow(leaf, entry.lid);
    for (const ChannelId c : path) {
      loads_.remove(c, flow);
      sum += loads_.price(c, flow);
    }
  }
  return sum;
}

std::uint64_t PortSwaps::put_on(const Entry& entry, std::span<const ChannelId> path) {
  std::uint64_t sum = 0;
  for (const std::uint32_t leaf : leaves(entry)) {
    const ClassLoads::Flow flow = prepared_.flow(leaf, entry.lid);
    for (const ChannelId c : path) {
      sum += loads_.price(c, flow);
      loads_.add(c, flow);
    }
  }
  return sum;
}

// This channel and those behind it. False: they do not lead to the destination.
bool PortSwaps::find_path(const Entry& entry, ChannelId first, std::vector<ChannelId>& path) const {
  path.assign(1, first);
  return state_.append_path(prepared_.far(first), entry.lid, path);
}

}  // namespace espalier
