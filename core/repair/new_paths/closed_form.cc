// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/closed_form.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace espalier {
namespace {

// Where one in so many flows is broken, most blocks of leaves are written anyway.
constexpr std::size_t kFewFlows = 50;

}  // namespace

bool are_few_broken(const PreparedReference& prepared, const BrokenFlows& broken_flows) {
  const std::size_t num_flows = prepared.leaves().size() * prepared.num_lids();  // nearly
  return broken_flows.count() * kFewFlows <= num_flows;
}

ClosedForm::ClosedForm(WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads)
    : state_(state), prepared_(state.prepared), open_(open), broken_flows_(broken_flows), loads_(loads) {}

void ClosedForm::run(LargeVector<StrainedFlow>& strained) {
  if (!are_few_broken(prepared_, broken_flows_)) return;
  const std::vector<SwitchId> switches = strained_switches(strained);
  if (switches.empty()) return;
  std::vector<Passing> flows = flows_over(switches);
  std::vector<Passing> once;  // each, wherever it passes
  std::ranges::unique_copy(flows, std::back_inserter(once), {},
                           [](const Passing& flow) { return std::pair(flow.column, flow.leaf); });
  std::ranges::stable_sort(flows, {}, &Passing::place);
  std::vector<Entry> entries = entries_of(switches, flows);
  exchange_if_cheaper(entries, once);
  auto entry = entries.begin();
  for (auto flow = flows.begin(); flow != flows.end();) {
    const auto first_entry = entry;
    const auto first_flow = flow;
    flow = std::find_if(flow, flows.end(), [&](const Passing& p) { return p.place != first_flow->place; });
    entry = std::find_if(entry, entries.end(), [&](const Entry& e) { return e.s != first_entry->s; });
    exchange_if_cheaper({first_entry, entry}, {first_flow, flow});
  }
  for (const Passing& flow : once)
    if (is_strained_now(flow)) strained.push_back({flow.column, flow.leaf, is_open(flow)});
}

// Those above the bottom with an open entry on the path of such a flow, ascending.
std::vector<SwitchId> ClosedForm::strained_switches(const LargeVector<StrainedFlow>& strained) {
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

// Flows that pass an open entry of one of these, by column, leaf and hop.
std::vector<ClosedForm::Passing> ClosedForm::flows_over(const std::vector<SwitchId>& switches) {
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
  return flows;
}

// The open entries that these flows, sorted by place, pass; by place and column.
std::vector<ClosedForm::Entry> ClosedForm::entries_of(const std::vector<SwitchId>& switches,
                                                      std::span<const Passing> flows) const {
  std::vector<Entry> entries;
  std::vector<std::uint8_t> places;
  SwitchId closer_to = kNoSwitch;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const bool is_new_place = i == 0 || flows[i - 1].place != flows[i].place;
    if (!is_new_place && flows[i - 1].column == flows[i].column) continue;
    const SwitchId s = switches[flows[i].place];
    const std::size_t lid = open_.columns[flows[i].column];
    if (const SwitchId t = prepared_.destination(lid); is_new_place || t != closer_to) {
      find_closer(state_, s, t, places);
      closer_to = t;
    }
    const CloserChannels closer(prepared_, s, places);
    const ChannelId first = closer[closer.first_in_rotation(state_.old_channel(s, lid), lid)];
    entries.push_back({s, lid, prepared_.fabric().port(first)});
  }
  return entries;
}

// The other ports of all these entries, if the flows that pass them cost less so.
void ClosedForm::exchange_if_cheaper(std::span<Entry> entries, std::span<const Passing> flows) {
  const std::uint64_t before = take_off(flows);
  exchange(entries);
  if (put_on(flows) < before) return;
  static_cast<void>(take_off(flows));
  exchange(entries);
  static_cast<void>(put_on(flows));
}

void ClosedForm::exchange(std::span<Entry> entries) {
  for (Entry& entry : entries) {
    const PortNum port = state_.entry(entry.s, entry.lid);
    state_.set(entry.s, entry.lid, entry.other);
    entry.other = port;
  }
}

// Takes the flows off their paths: what they cost there. One that does not arrive is not in the loads.
std::uint64_t ClosedForm::take_off(std::span<const Passing> flows) {
  std::uint64_t sum = 0;
  for (const Passing& passing : flows) {
    const std::size_t lid = open_.columns[passing.column];
    const ClassLoads::Flow flow = prepared_.flow(passing.leaf, lid);
    if (!state_.find_path(prepared_.leaves()[passing.leaf], lid, path_)) continue;
    for (const ChannelId c : path_) {
      loads_.remove(c, flow);
      sum += loads_.price(c, flow);
    }
  }
  return sum;
}

// Puts the flows on their paths: what they cost there, the most that can be if one does not arrive.
std::uint64_t ClosedForm::put_on(std::span<const Passing> flows) {
  std::uint64_t sum = 0;
  bool do_all_arrive = true;
  for (const Passing& passing : flows) {
    const std::size_t lid = open_.columns[passing.column];
    const ClassLoads::Flow flow = prepared_.flow(passing.leaf, lid);
    const bool arrives = state_.find_path(prepared_.leaves()[passing.leaf], lid, path_);
    do_all_arrive = do_all_arrive && arrives;
    if (!arrives) continue;
    for (const ChannelId c : path_) {
      sum += loads_.price(c, flow);
      loads_.add(c, flow);
    }
  }
  return do_all_arrive ? sum : std::numeric_limits<std::uint64_t>::max();
}

bool ClosedForm::is_strained_now(const Passing& passing) {
  const std::size_t lid = open_.columns[passing.column];
  const ClassLoads::Flow flow = prepared_.flow(passing.leaf, lid);
  state_.find_path(prepared_.leaves()[passing.leaf], lid, path_);
  return std::any_of(path_.begin(), path_.end(), [&](ChannelId c) { return is_strained(state_, loads_, c, flow); });
}

bool ClosedForm::is_open(const Passing& passing) const {
  const auto open = open_.at(passing.column);
  return std::find(open.begin(), open.end(), prepared_.leaves()[passing.leaf]) != open.end();
}

}  // namespace espalier
