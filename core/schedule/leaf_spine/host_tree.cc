// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/host_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/sort_unique.h"
#include "core/fabric/endport_index.h"

namespace espalier {
namespace {

bool can_take_part(const Endport& e) {
  return e.kind == EndportKind::kChannelAdapter && e.leaf != kNoSwitch && e.lid != kNoLid;
}

void find_uplinks(const FatTree& tree, HostTree& host_tree) {
  std::map<SwitchId, std::uint32_t> most_parallel;  // per spine: the most parallel links to one leaf
  for (const SwitchId leaf : host_tree.leaves)
    for (const PortGroup& g : tree.up_groups(leaf))
      most_parallel[g.remote] = std::max(most_parallel[g.remote], g.num_ports);
  std::map<SwitchId, std::size_t> first_uplink;
  for (const auto& [spine, count] : most_parallel) {
    first_uplink[spine] = host_tree.uplinks.size();
    for (std::uint32_t parallel = 0; parallel < count; ++parallel) host_tree.uplinks.push_back({spine, parallel});
  }
  const std::size_t num_uplinks = host_tree.uplinks.size();
  host_tree.up_port.assign(host_tree.leaves.size() * num_uplinks, kNoPort);
  host_tree.down_port = host_tree.up_port;
  host_tree.shape.num_spines = num_uplinks;
  host_tree.shape.alive.assign(host_tree.leaves.size() * num_uplinks, 0);
  for (std::size_t leaf = 0; leaf < host_tree.leaves.size(); ++leaf)
    for (const PortGroup& g : tree.up_groups(host_tree.leaves[leaf])) {
      std::size_t link = leaf * num_uplinks + first_uplink[g.remote];
      for (const PortNum port : tree.ports(g)) {
        host_tree.shape.alive[link] = 1;
        host_tree.up_port[link] = port;
        host_tree.down_port[link++] = tree.fabric().peer(host_tree.leaves[leaf], port).port;
      }
    }
}

}  // namespace

HostTree place_servers(const Fabric& fabric, std::span<const EndportId> servers) {
  HostTree host_tree;
  host_tree.servers.assign(servers.begin(), servers.end());
  std::sort(host_tree.servers.begin(), host_tree.servers.end(), [&](EndportId a, EndportId b) {
    return std::pair(fabric.at(a).leaf, fabric.at(a).leaf_port) < std::pair(fabric.at(b).leaf, fabric.at(b).leaf_port);
  });
  for (const EndportId e : host_tree.servers) {
    if (host_tree.leaves.empty() || host_tree.leaves.back() != fabric.at(e).leaf) {
      host_tree.leaves.push_back(fabric.at(e).leaf);
      host_tree.shape.servers.push_back(0);
    }
    ++host_tree.shape.servers.back();
    host_tree.leaf_of_server.push_back(static_cast<std::uint32_t>(host_tree.leaves.size() - 1));
  }
  return host_tree;
}

std::vector<EndportId> all_servers(const FatTree& tree) {
  std::vector<EndportId> servers;
  for (const SwitchId s : tree.fabric().switches())
    for (const EndportId e : tree.hosts(s))
      if (can_take_part(tree.fabric().at(e))) servers.push_back(e);
  std::sort(servers.begin(), servers.end());
  return servers;
}

Result<std::vector<EndportId>> find_servers(const FatTree& tree, std::span<const Guid> port_guids,
                                            const std::string& file) {
  const Fabric& fabric = tree.fabric();
  const EndportIndex known(fabric, all_servers(tree));
  std::vector<EndportId> servers;
  for (const Guid guid : port_guids) {
    servers.push_back(known.find(guid));
    if (servers.back() == kNoEndport)
      return fail_at(
          file, 0,
          fmt::format("the participant 0x{:016x} is not a host of this fabric with a link and a LID", index(guid)),
          "list participants by the port GUIDs of hosts");
  }
  sort_unique(servers);
  return servers;
}

Result<HostTree> two_level_tree(const FatTree& tree, std::span<const EndportId> servers) {
  const Fabric& fabric = tree.fabric();
  HostTree host_tree = place_servers(fabric, servers);
  find_uplinks(tree, host_tree);
  for (const HostTree::Uplink& uplink : host_tree.uplinks)
    if (std::binary_search(host_tree.leaves.begin(), host_tree.leaves.end(), uplink.spine))
      return fail(fmt::format("servers are attached to {}, which is above other servers' switches",
                              fabric.label(uplink.spine)));
  for (std::size_t leaf = 0; leaf < host_tree.leaves.size(); ++leaf)
    if (host_tree.leaves.size() > 1 && host_tree.shape.uplinks(leaf) == 0)
      return fail(fmt::format("{} has no link upward", fabric.label(host_tree.leaves[leaf])));
  const auto has_more_above = [&](SwitchId leaf) {
    const auto groups = tree.up_groups(leaf);
    return std::any_of(groups.begin(), groups.end(),
                       [&](const PortGroup& g) { return !tree.up_groups(g.remote).empty(); });
  };
  for (std::size_t a = 0; a < host_tree.leaves.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (host_tree.shape.common_spines(a, b) == 0 && has_more_above(host_tree.leaves[a]))
        return fail(fmt::format("{} and {} have no common switch directly above them",
                                fabric.label(host_tree.leaves[a]), fabric.label(host_tree.leaves[b])));
  return host_tree;
}

}  // namespace espalier
