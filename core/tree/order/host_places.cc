// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_places.h"

namespace espalier {

void HostPlaces::learn(const FatTree& tree) {
  if (port_at_.size() > kMost) {
    port_at_.clear();
    place_of_.clear();
  }
  const Fabric& fabric = tree.fabric();
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s)) {
      const Endport& host = fabric.at(e);
      const HostPlace place{fabric.at(s).guid, host.leaf_port};
      const auto [known, is_new] = place_of_.try_emplace(host.port_guid, place);
      if (!is_new && known->second != place) {
        if (const auto old = port_at_.find(known->second); old != port_at_.end() && old->second == host.port_guid)
          port_at_.erase(old);
        known->second = place;
      }
      port_at_[place] = host.port_guid;
    }
}

std::vector<HostPlace> HostPlaces::places() const {
  std::vector<HostPlace> all;
  all.reserve(port_at_.size());
  for (const auto& [place, port] : port_at_) all.push_back(place);
  return all;
}

}  // namespace espalier
