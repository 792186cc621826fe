// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/prepared_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/base/parallel.h"
#include "core/fabric/capacities.h"
#include "core/fabric/endport_role.h"
#include "core/repair/reference/expected_loads.h"
#include "core/repair/reference/stray_entries.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/node_order.h"

namespace espalier {
namespace {

constexpr std::uint8_t kNoPortGroup = 0xFF;

}  // namespace

PreparedReference::PreparedReference(Reference reference)
    : reference_(std::move(reference)), tree_(tree_of(reference_)), costs_(tree_), order_(tree_) {
  flatten();
  find_destinations();
  find_odd_entries();
  allow_dependencies();
  count_loads();
  set_limits();
  if (auto proven = SoundTables::prove(reference_.fabric, reference_.tables)) sound_.emplace(*std::move(proven));
}

VerifyReport PreparedReference::verify_change(const Fabric& now, const ForwardingTables& tables) const {
  if (sound_)
    if (std::optional<VerifyReport> report = sound_->verify_losses(now, TableRows(tables))) return *std::move(report);
  return verify(now, tables);
}

VerifyReport PreparedReference::verify_change(const Fabric& now, const PatchedTables& tables) const {
  if (sound_)
    if (std::optional<VerifyReport> report = sound_->verify_losses(now, tables.rows())) return *std::move(report);
  return verify(now, tables.whole());
}

void PreparedReference::flatten() {
  const Fabric& fabric = reference_.fabric;
  far_ = IdVector<ChannelId, SwitchId>(fabric.num_channels(), kNoSwitch);
  group_ = IdVector<ChannelId, std::uint8_t>(fabric.num_channels(), kNoPortGroup);
  for (const SwitchId s : fabric.switches())
    first_channel_.push_back(static_cast<std::uint32_t>(fabric.channel(s, kManagementPort)));
  first_channel_.push_back(static_cast<std::uint32_t>(fabric.num_channels()));
  place_of_group_ = IdVector<ChannelId, std::uint8_t>(fabric.num_channels(), kNoPortGroup);
  for (const SwitchId s : fabric.switches()) {
    first_in_order_.push_back(static_cast<std::uint32_t>(in_order_.size()));
    std::uint8_t number = 0;
    for (const auto groups : {tree_.up_groups(s), tree_.down_groups(s)})
      for (const PortGroup& g : groups) {
        const std::size_t place = in_order_.size() - first_in_order_.back();
        for (const PortNum port : tree_.ports(g)) {
          const ChannelId c = fabric.channel(s, port);
          far_[c] = g.remote;
          group_[c] = number;
          place_of_group_[c] = static_cast<std::uint8_t>(place);
          in_order_.push_back(c);
        }
        ++number;
      }
  }
  first_in_order_.push_back(static_cast<std::uint32_t>(in_order_.size()));
  for (const SwitchId s : fabric.switches()) {
    const auto below = tree_.down_groups(s);
    const auto is_at_bottom = [&](const PortGroup& g) { return tree_.down_groups(g.remote).empty(); };
    is_bottom_.push_back(below.empty() ? 1 : 0);
    is_above_bottom_only_.push_back(std::all_of(below.begin(), below.end(), is_at_bottom) ? 1 : 0);
  }
}

void PreparedReference::find_destinations() {
  const Fabric& fabric = reference_.fabric;
  for (std::size_t lid = 0; lid <= index(fabric.top_lid()); ++lid) {
    const LidOwner& owner = fabric.owner(id_at<Lid>(lid));
    destination_.push_back(fabric.destination_switch(id_at<Lid>(lid)));
    is_host_lid_.push_back(owner.kind == LidOwner::Kind::kEndport && is_host(fabric.at(EndportId{owner.id})) ? 1 : 0);
  }
  leaf_ = IdVector<SwitchId, std::uint32_t>(fabric.num_switches(), kNoLeaf);
  hosts_ = order_by_parts(tree_, {HostPart{.name = {}, .hosts = reference_.hosts}}).hosts;
  for (const EndportId e : topological_order(tree_, costs_, hosts_).hosts) {
    const SwitchId s = fabric.at(e).leaf;
    if (leaf_[s] != kNoLeaf) continue;
    leaf_[s] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(s);
  }
  below_ = SwitchLists(fabric.num_switches(), [&](const auto& add) {
    for (const SwitchId s : fabric.switches())
      for (const SwitchId x : leaves_)
        if (costs_.down_cost(s, x) != kUnreachable) add(index(s), x);
  });
  unreached_ = SwitchLists(fabric.num_switches(), [&](const auto& add) {
    for (const SwitchId s : fabric.switches())
      for (const SwitchId t : fabric.switches())
        if (costs_.cost(s, t) == kUnreachable) add(index(t), s);
  });
}

void PreparedReference::find_odd_entries() {
  const Fabric& fabric = reference_.fabric;
  std::vector<LargeVector<std::uint32_t>> odd_of(fabric.num_switches());  // LIDs
  std::vector<std::uint8_t> has_gap(fabric.num_switches());
  is_straight_.assign(fabric.num_switches(), 1);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const auto row = reference_.tables.row(s);
    for (std::size_t lid = 1; lid < row.size(); ++lid) {
      const SwitchId t = destination_[lid];
      if (t == kNoSwitch || t == s) continue;
      const ChannelId c = channel(s, row[lid]);
      const SwitchId next = c != kNoChannel ? far_[c] : kNoSwitch;
      if (next == kNoSwitch)
        has_gap[i] = has_gap[i] != 0 || tree_.component(s) == tree_.component(t) ? 1 : 0;
      else if (is_odd(costs_, s, next, t))
        odd_of[i].push_back(static_cast<std::uint32_t>(lid));
      else if (costs_.cost(s, t) != kUnreachable && !keeps_direction(c, s, t))
        is_straight_[i] = 0;
    }
  });
  odd_ = SwitchLists(destination_.size(), [&](const auto& add) {
    for (const SwitchId s : fabric.switches())
      for (const std::uint32_t lid : odd_of[index(s)]) add(lid, s);
  });
  is_oriented_ = follows_orientation(odd_.num_items(), fabric);
  is_whole_ = std::find(has_gap.begin(), has_gap.end(), 1) == has_gap.end();
}

// Whether this channel of s leads downward if t is below, and else upward.
bool PreparedReference::keeps_direction(ChannelId c, SwitchId s, SwitchId t) const {
  return (group_[c] < tree_.up_groups(s).size()) == (costs_.down_cost(s, t) == kUnreachable);
}

bool PreparedReference::path(SwitchId s, std::size_t lid, std::vector<ChannelId>& channels) const {
  channels.clear();
  const SwitchId t = destination_[lid];
  while (s != t) {
    const ChannelId c = channel(s, reference_.tables.at(s, id_at<Lid>(lid)));
    if (c == kNoChannel || far_[c] == kNoSwitch || channels.size() == kMostHops) return false;
    channels.push_back(c);
    s = far_[c];
  }
  return true;
}

// Fills host_place_; the switch of each place.
std::vector<SwitchId> PreparedReference::place_hosts() {
  const Fabric& fabric = reference_.fabric;
  std::vector<SwitchId> switches;
  host_place_.assign(destination_.size(), 0);
  for (const EndportId e : hosts_) {
    const Endport& host = fabric.at(e);
    if (host.leaf == kNoSwitch) continue;
    for (const Lid lid : lids_of(host)) host_place_[index(lid)] = static_cast<std::uint32_t>(switches.size());
    switches.push_back(host.leaf);
  }
  return switches;
}

void PreparedReference::count_loads() {
  const std::vector<SwitchId> hosts = place_hosts();
  const std::vector<float> expected = expected_loads(tree_, hosts);
  loads_ = ClassLoads(reference_.fabric, leaves_, hosts, expected);
  if (!is_oriented_) return;
  add_flows();
  if (loads_.is_close_to_full()) {
    loads_ = ClassLoads(reference_.fabric, leaves_, hosts, expected, true);
    add_flows();
  }
  loads_.set_price_of_means();
}

void PreparedReference::add_flows() {
  std::vector<ChannelId> channels;
  for (std::size_t lid = 1; lid < destination_.size(); ++lid) {
    if (is_host_lid_[lid] == 0) continue;
    const SwitchId t = destination_[lid];
    for (std::uint32_t x = 0; x < leaves_.size(); ++x) {
      if (leaves_[x] == t || !path(leaves_[x], lid, channels)) continue;
      const ClassLoads::Flow passing = flow(x, lid);
      for (const ChannelId c : channels) loads_.add(c, passing);
    }
  }
}

void PreparedReference::set_limits() {
  const Fabric& fabric = reference_.fabric;
  limit_ = IdVector<ChannelId, std::uint8_t>(fabric.num_channels());
  fullest_ = limit_;
  std::array<std::array<float, 2>, 256> most{};  // per level of the lower end: up, down
  const auto kind = [&](ChannelId c) -> float& {
    const SwitchId near = fabric.source(c);
    const bool up = reference_.position[near] < reference_.position[far_[c]];
    return most[index(tree_.level(up ? near : far_[c]))][up ? 0 : 1];
  };
  const Capacities capacities(fabric);
  for (const ChannelId c : far_.ids())
    if (far_[c] != kNoSwitch) kind(c) = std::max(kind(c), capacities.weight(c) * static_cast<float>(loads_.most(c)));
  float fullest = 2;
  for (const auto& of_level : most) fullest = std::max({fullest, of_level[0], of_level[1]});
  const auto flows = [&](ChannelId c, float load) { return std::round(load / capacities.weight(c)); };
  for (const ChannelId c : far_.ids())
    if (far_[c] != kNoSwitch) {
      limit_[c] = static_cast<std::uint8_t>(std::min(flows(c, kind(c)) + 1, 254.0F));
      fullest_[c] = static_cast<std::uint8_t>(std::min(flows(c, fullest), 254.0F));
    }
}

void PreparedReference::allow_dependencies() {
  const Fabric& fabric = reference_.fabric;
  const ChannelDependencies dependencies(fabric, reference_.tables);
  for (const ChannelId c : far_.ids())
    dependencies.for_each_next(id_at<VirtualChannelId>(index(c)), [&](VirtualChannelId next) {
      static_cast<void>(order_.insert(c, fabric.port(dependencies.channel(next))));
    });
  is_oriented_ = is_oriented_ && insert_up_down_steps(tree_, order_);
}

}  // namespace espalier
