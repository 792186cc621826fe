// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/flap_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/disjoint_sets.h"

namespace espalier {

FlapHold::Held FlapHold::update(const Fabric& fabric, Time now, std::chrono::seconds hold) {
  std::vector<std::pair<Cable, ChannelId>> cables;
  for (const SwitchId s : fabric.switches())
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
      if (!peer.is_switch()) continue;
      const End here{fabric.at(s).guid, id_at<PortNum>(p)};
      const End there{fabric.at(peer.as_switch()).guid, peer.port};
      if (here < there) cables.push_back({{here, there}, fabric.channel(s, here.port)});
    }
  std::vector<Cable> present;
  for (const auto& [cable, channel] : cables) present.push_back(cable);

  std::vector<Cable> lost, found;
  if (std::exchange(has_seen_one_, true)) {
    std::set_difference(present_.begin(), present_.end(), present.begin(), present.end(), std::back_inserter(lost));
    std::set_difference(present.begin(), present.end(), present_.begin(), present_.end(), std::back_inserter(found));
  }
  present_ = std::move(present);
  std::erase_if(past_, [&](const auto& item) { return now - item.second.last_change >= hold; });
  for (const Cable& cable : lost) ++past_[cable].losses, past_[cable].last_change = now;
  for (const Cable& cable : found)
    if (const auto past = past_.find(cable); past != past_.end()) past->second.last_change = now;

  Held held;
  const auto is_held = [&](const Cable& cable) {
    const auto past = past_.find(cable);
    return past != past_.end() && past->second.losses >= kTooOften;
  };
  if (std::none_of(past_.begin(), past_.end(), [](const auto& item) { return item.second.losses >= kTooOften; }))
    return held;
  DisjointSets parts(fabric.num_switches());
  const auto joins = [&](ChannelId c) {
    const std::size_t a = index(fabric.source(c)), b = fabric.peer(c).id;
    if (parts.representative(a) == parts.representative(b)) return false;
    parts.join(a, b);
    return true;
  };
  for (const auto& [cable, channel] : cables)
    if (!is_held(cable)) static_cast<void>(joins(channel));
  for (const auto& [cable, channel] : cables) {
    if (!is_held(cable)) continue;
    const Time quiet = past_[cable].last_change + hold;
    held.look_again = held.look_again ? std::min(*held.look_again, quiet) : quiet;
    const SwitchId here = fabric.source(channel), there = fabric.peer(channel).as_switch();
    held.names.push_back(fmt::format("{} port {} - {} port {}", fabric.label(here), index(cable.first.port),
                                     fabric.label(there), index(cable.second.port)));
    if (joins(channel))
      ++held.num_needed;
    else
      held.links.push_back(channel);
  }
  return held;
}

}  // namespace espalier
