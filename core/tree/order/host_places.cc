// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace espalier {

void HostPlaces::learn(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  LargeVector<Host> hosts;
  hosts.reserve(fabric.num_endports());
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s))
      hosts.push_back({{fabric.at(s).guid, fabric.at(e).leaf_port}, fabric.at(e).port_guid});
  if (hosts == last_) return;
  last_ = std::move(hosts);
  if (seen_.size() > kMost) seen_.clear();
  if (seen_.empty()) {
    seen_ = last_;
  } else {
    std::vector<Guid> here;
    for (const Host& host : last_) here.push_back(host.port);
    std::ranges::sort(here);
    std::erase_if(seen_, [&](const Host& host) { return std::ranges::binary_search(here, host.port); });
    LargeVector<Host> all;
    std::ranges::set_union(last_, seen_, std::back_inserter(all), {}, &Host::place, &Host::place);
    seen_ = std::move(all);
  }
  places_.clear();
  places_.reserve(seen_.size());
  for (const Host& host : seen_) places_.push_back(host.place);
}

}  // namespace espalier
