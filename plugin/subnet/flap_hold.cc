// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/flap_hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/disjoint_sets.h"

namespace espalier {

// Between switches, ascending, each with its channel from the lower end.
FlapHold::LinkChannels FlapHold::links_of(const Fabric& fabric) {
  LinkChannels links;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch()) continue;
      const End here{fabric.at(s).guid, p};
      const End there{fabric.at(peer.as_switch()).guid, peer.port};
      if (here < there) links.push_back({{here, there}, fabric.channel(s, here.port)});
    }
  return links;
}

// Who has gone and come since the last call.
void FlapHold::note(const Fabric& fabric, const LinkChannels& links, Time now, std::chrono::seconds hold) {
  std::vector<Link> present;
  for (const auto& [link, channel] : links) present.push_back(link);
  std::vector<Link> lost, found;
  if (std::exchange(has_seen_one_, true)) {
    std::set_difference(present_.begin(), present_.end(), present.begin(), present.end(), std::back_inserter(lost));
    std::set_difference(present.begin(), present.end(), present_.begin(), present_.end(), std::back_inserter(found));
  }
  present_ = std::move(present);
  std::erase_if(lost, [&](const Link& link) {
    return fabric.find_switch(link.first.guid) == kNoSwitch && fabric.find_switch(link.second.guid) == kNoSwitch;
  });
  std::erase_if(past_, [&](const auto& item) { return now - item.second.last_change >= hold; });
  for (const Link& link : lost) {
    Past& past = past_[link];
    ++past.losses;
    past.last_change = now;
  }
  for (const Link& link : found)
    if (const auto past = past_.find(link); past != past_.end()) past->second.last_change = now;
}

bool FlapHold::flaps(const Link& link) const {
  const auto past = past_.find(link);
  return past != past_.end() && past->second.losses >= kTooOften;
}

FlapHold::Held FlapHold::update(const Fabric& fabric, Time now, std::chrono::seconds hold) {
  const LinkChannels links = links_of(fabric);
  note(fabric, links, now, hold);
  Held held;
  for (const auto& [link, past] : past_)
    held.num_gone += flaps(link) && !std::binary_search(present_.begin(), present_.end(), link) ? 1 : 0;
  if (std::none_of(past_.begin(), past_.end(), [&](const auto& item) { return flaps(item.first); })) return held;
  DisjointSets parts(fabric.num_switches());
  const auto joins = [&](ChannelId c) {
    const std::size_t a = index(fabric.source(c)), b = fabric.peer(c).id;
    if (parts.representative(a) == parts.representative(b)) return false;
    parts.join(a, b);
    return true;
  };
  for (const auto& [link, channel] : links)
    if (!flaps(link)) static_cast<void>(joins(channel));
  for (const auto& [link, channel] : links) {
    if (!flaps(link)) continue;
    const Time quiet = past_[link].last_change + hold;
    held.look_again = held.look_again ? std::min(*held.look_again, quiet) : quiet;
    const SwitchId here = fabric.source(channel), there = fabric.peer(channel).as_switch();
    held.names.push_back(fmt::format("{} port {} - {} port {}", fabric.label(here), index(link.first.port),
                                     fabric.label(there), index(link.second.port)));
    if (joins(channel))
      held.needed.push_back(held.names.back());
    else
      held.links.push_back(channel);
  }
  return held;
}

}  // namespace espalier
