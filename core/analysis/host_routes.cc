// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/host_routes.h"

#include <oneapi/tbb/parallel_for.h>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {

HostRoutes::HostRoutes(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts)
    : delivered_(hosts.size(), 0),
      first_channel_(fabric.num_switches()),
      leads_to_(fabric.num_channels(), kNoSwitch),
      entries_(fabric.num_switches() * hosts.size(), kNoPort) {
  check(tables.num_switches() == fabric.num_switches(), "HostRoutes: tables of another fabric");
  for (std::size_t c = 0; c < leads_to_.size(); ++c)
    if (const Peer& peer = fabric.peer(id_at<ChannelId>(c)); peer.is_switch()) leads_to_[c] = peer.as_switch();

  std::vector<Lid> lid;
  for (const EndportId e : hosts) {
    const Endport& host = fabric.at(e);
    const std::size_t rank = leaf_.size();
    const bool has_entry = host.lid != kNoLid && index(host.lid) < tables.width();
    lid.push_back(has_entry ? host.lid : kNoLid);
    leaf_.push_back(host.leaf);
    delivered_[rank] = has_entry && host.leaf != kNoSwitch && tables.at(host.leaf, host.lid) == host.leaf_port ? 1 : 0;
  }

  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    first_channel_[i] = static_cast<std::uint32_t>(fabric.channel(s, kManagementPort));
    const std::size_t num_ports = fabric.at(s).num_ports;
    PortNum* const row = entries_.data() + i * hosts.size();
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      if (lid[rank] == kNoLid) continue;
      const PortNum port = tables.at(s, lid[rank]);
      if (index(port) <= num_ports && leads_to_[first_channel_[i] + index(port)] != kNoSwitch) row[rank] = port;
    }
  });
}

}  // namespace espalier
