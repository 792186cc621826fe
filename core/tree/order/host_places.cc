// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_places.h"

namespace espalier {

void HostPlaces::learn(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::pair<HostPlace, Guid>> hosts;
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s))
      hosts.emplace_back(HostPlace{fabric.at(s).guid, fabric.at(e).leaf_port}, fabric.at(e).port_guid);
  if (hosts == last_) return;
  last_ = std::move(hosts);
  if (port_at_.size() > kMost) {
    port_at_.clear();
    place_of_.clear();
  }
  for (const auto& [place, port] : last_) {
    const auto [known, is_new] = place_of_.try_emplace(port, place);
    if (!is_new && known->second != place) {
      if (const auto old = port_at_.find(known->second); old != port_at_.end() && old->second == port)
        port_at_.erase(old);
      known->second = place;
    }
    port_at_[place] = port;
  }
  places_.clear();
  for (const auto& [place, port] : port_at_) places_.push_back(place);
}

}  // namespace espalier
