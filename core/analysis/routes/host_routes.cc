// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/host_routes.h"

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

std::uint32_t num_offsets(const LidUse& use, const Fabric& fabric, const std::vector<EndportId>& hosts) {
  return use.kind == LidUse::Kind::kOffset ? 1 : std::uint32_t{1} << most_lmc(fabric, hosts);
}

}  // namespace

HostRoutes::HostRoutes(const Fabric& fabric, const TableRows& tables, const std::vector<EndportId>& hosts, LidUse use)
    : use_(std::move(use)),
      capacities_(fabric),
      num_offsets_(num_offsets(use_, fabric, hosts)),
      delivered_(num_offsets_ * hosts.size(), 0),
      first_channel_(fabric.num_switches()),
      leads_to_(fabric.num_channels(), kNoSwitch),
      entries_(fabric.num_switches() * num_offsets_ * hosts.size(), kNoPort) {
  check(tables.num_switches() == fabric.num_switches(), "HostRoutes: tables of another fabric");
  check((use_.kind == LidUse::Kind::kChoices) == (use_.choices != nullptr), "HostRoutes: choices without choices");
  for (std::uint32_t k = 0; k < num_offsets_; ++k) all_.push_back({static_cast<std::uint8_t>(k), 1});
  if (use_.kind == LidUse::Kind::kEvenly) shares_per_flow_ = num_offsets_;
  if (use_.kind == LidUse::Kind::kChoices) {
    hosts_ = hosts;
    Shares shares = shares_of_lists(*use_.choices, num_offsets_);
    shares_of_list_ = std::move(shares.of_list);
    shares_per_flow_ = shares.per_flow;
  }
  check(!use_.table || use_.table->num_hosts() == hosts.size(), "HostRoutes: a table of offsets of other hosts");
  for (std::size_t c = 0; c < leads_to_.size(); ++c)
    if (const Peer& peer = fabric.peer(id_at<ChannelId>(c)); peer.is_switch()) leads_to_[c] = peer.as_switch();
  for (const EndportId e : hosts) leaf_.push_back(fabric.at(e).leaf);

  std::vector<Lid> lid(delivered_.size(), kNoLid);
  for (std::size_t column = 0; column < lid.size(); ++column) {
    const Endport& host = fabric.at(hosts[column % hosts.size()]);
    const std::size_t place = column / hosts.size();
    const std::size_t offset = use_.kind == LidUse::Kind::kOffset ? use_.offset : place;
    const std::size_t wanted = index(host.lid) + offset % (std::size_t{1} << host.lmc);
    if (host.lid == kNoLid || wanted >= tables.width()) continue;
    lid[column] = id_at<Lid>(wanted);
    delivered_[column] = host.leaf != kNoSwitch && tables.at(host.leaf, lid[column]) == host.leaf_port ? 1 : 0;
  }

  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    first_channel_[i] = static_cast<std::uint32_t>(fabric.channel(s, kManagementPort));
    const std::size_t num_ports = fabric.at(s).num_ports;
    PortNum* const row = entries_.data() + i * lid.size();
    const TableRow& from = tables.row(s);
    for (std::size_t column = 0; column < lid.size(); ++column) {
      if (lid[column] == kNoLid) continue;
      const PortNum port = from[index(lid[column])];
      if (index(port) <= num_ports && leads_to_[first_channel_[i] + index(port)] != kNoSwitch) row[column] = port;
    }
  });
}

}  // namespace espalier
