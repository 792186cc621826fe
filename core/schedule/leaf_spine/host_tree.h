// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The part of a FatTree that takes part in an exchange, as a LeafSpine with names: which servers, leaves and ports.
//
// An *uplink* is one working link upward from each leaf, in the same place: the j-th link to a certain spine. Two
// parallel links are two uplinks, so that a LeafSpine needs no multiplicities. A failed link takes its uplink from one leaf
// only.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/leaf_spine/leaf_spine.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct HostTree {
  struct Uplink {
    SwitchId spine = kNoSwitch;
    std::uint32_t parallel = 0;  // of parallel links, by the spine's port number
  };

  LeafSpine shape;                 // leaves, servers and uplinks, in the order of the arrays below
  std::vector<SwitchId> leaves;    // ascending
  std::vector<EndportId> servers;  // leaf by leaf, by leaf port
  std::vector<std::uint32_t> leaf_of_server;
  std::vector<Uplink> uplinks;     // by the spine's GUID, then parallel
  std::vector<PortNum> up_port;    // [leaf * uplinks + uplink]; kNoPort: no link
  std::vector<PortNum> down_port;  // the other end of the same link

  [[nodiscard]] PortNum up(std::size_t leaf, std::size_t uplink) const {
    return up_port[leaf * uplinks.size() + uplink];
  }
  [[nodiscard]] PortNum down(std::size_t leaf, std::size_t uplink) const {
    return down_port[leaf * uplinks.size() + uplink];
  }
};

// Servers and their leaves; no uplinks yet.
[[nodiscard]] HostTree place_servers(const Fabric& fabric, std::span<const EndportId> servers);

// Every host with a LID that is a channel adapter, ascending.
[[nodiscard]] std::vector<EndportId> all_servers(const FatTree& tree);

// By port GUID, ascending and each once. Errors: a GUID that belongs to no host of the fabric with a LID and a link.
[[nodiscard]] Result<std::vector<EndportId>> find_servers(const FatTree& tree, std::span<const Guid> port_guids,
                                                          const std::string& file);

// Errors, each naming a switch: a server on a switch that is above another server's; a leaf without any link upward,
// unless it is the only one; two leaves with servers, neither of which has a spine in common with the other while there
// are more switches above the spines.
[[nodiscard]] Result<HostTree> two_level_tree(const FatTree& tree, std::span<const EndportId> servers);

}  // namespace espalier
