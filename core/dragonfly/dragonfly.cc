// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/dragonfly.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/check.h"
#include "core/dragonfly/parity_sign.h"
#include "core/fabric/capacities.h"
#include "core/fabric/endport_role.h"

namespace espalier {

Dragonfly::Dragonfly(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& group_of, Kind kind)
    : fabric_(&fabric),
      kind_(kind),
      group_(fabric.num_switches(), 0),
      router_(fabric.num_switches(), 0),
      is_leaf_(fabric.num_switches(), 0),
      class_(fabric.num_channels(), PortClass::kTerminal) {
  check(group_of.size() == fabric.num_switches(), "Dragonfly: groups of another fabric");
  std::map<std::uint32_t, std::uint32_t> number;
  for (const SwitchId s : fabric.switches()) {
    const auto [at, is_new] = number.try_emplace(group_of[s], static_cast<std::uint32_t>(routers_.size()));
    if (is_new) routers_.emplace_back();
    group_[s] = at->second;
    router_[s] = static_cast<std::uint32_t>(routers_[at->second].size());
    routers_[at->second].push_back(s);
  }
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch && is_host(fabric.at(e))) is_leaf_[fabric.at(e).leaf] = 1;
  classify();
  collect_exits();
  find_slow_exits();
  find_whole();
}

void Dragonfly::classify() {
  for (std::size_t c = 0; c < class_.size(); ++c) {
    const Peer& peer = fabric_->peer(id_at<ChannelId>(c));
    if (!peer.is_switch()) continue;
    const bool local = group_[fabric_->source(id_at<ChannelId>(c))] == group_[peer.as_switch()];
    class_[c] = local ? PortClass::kLocal : PortClass::kGlobal;
  }
}

void Dragonfly::collect_exits() {
  const std::size_t n = num_groups();
  exits_ = FlatLists<Exit>(n * n, [&](const auto& add) {
    for (std::size_t from = 0; from < n; ++from)
      for (const SwitchId s : routers_[from])
        for (const PortNum p : fabric_->ports(s))
          if (port_class(s, p) == PortClass::kGlobal)
            add(from * n + group_[fabric_->peer(s, p).as_switch()], Exit{s, p});
  });
}

void Dragonfly::find_slow_exits() {
  const Capacities capacities(*fabric_);
  if (capacities.all_are_one()) return;
  const std::size_t n = num_groups();
  slowness_.assign(n * n, 1);
  for (std::size_t group = 0; group < n; ++group) {
    float fastest = 0;
    const auto capacity = [&](const Exit& exit) { return capacities.of(fabric_->channel(exit.router, exit.port)); };
    for (std::size_t other = 0; other < n; ++other)
      for (const Exit& exit : exits(group, other)) fastest = std::max(fastest, capacity(exit));
    for (std::size_t other = 0; other < n; ++other) {
      float sum = 0;
      for (const Exit& exit : exits(group, other)) sum += capacity(exit);
      if (sum == 0) continue;
      const float mean = sum / static_cast<float>(exits(group, other).size());
      slowness_[group * n + other] = static_cast<std::uint32_t>(std::lround(fastest / mean));
    }
  }
}

void Dragonfly::find_whole() {
  group_is_whole_.assign(num_groups(), 1);
  for (const SwitchId s : fabric_->switches()) {
    std::set<SwitchId> neighbors;
    for (const PortNum p : fabric_->ports(s))
      if (port_class(s, p) == PortClass::kLocal) neighbors.insert(fabric_->peer(s, p).as_switch());
    const std::vector<SwitchId>& group = routers_[group_[s]];
    const auto wanted = std::count_if(group.begin(), group.end(), [&](SwitchId t) {
      return t != s && (kind_ == Kind::kRouters || is_leaf(t) != is_leaf(s));
    });
    if (static_cast<std::size_t>(wanted) != neighbors.size()) group_is_whole_[group_[s]] = 0;
  }
  whole_ = std::all_of(group_is_whole_.begin(), group_is_whole_.end(), [](std::uint8_t whole) { return whole != 0; });
  for (std::size_t from = 0; from < num_groups(); ++from)
    for (std::size_t to = 0; to < num_groups(); ++to)
      if (from != to && exits(from, to).empty()) whole_ = false;
}

bool Dragonfly::local_turn_allowed(SwitchId before, SwitchId at, SwitchId after) const {
  if (kind_ == Kind::kLeavesAndSpines) return !is_leaf(before) && is_leaf(at) && !is_leaf(after);
  return turn_allowed(router_[before], router_[at], router_[after]);
}

}  // namespace espalier
