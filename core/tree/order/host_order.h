// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The order in which jobs number hosts: what "host i sends to host i + k" means.
//
// Batch systems number the ranks of a job by host name (Slurm sorts its node lists) or by a host file, never by the
// GUIDs of the switches that the hosts hang on. So the default is the natural order of NodeDescriptions
// (core/fabric/rules/host_name.h), "node9 HCA-1" before "node10 HCA-1", and the adapters of a host follow one another.
//
// Names are unreliable: until its driver runs, a host announces its vendor's default, and all of these are alike. Such
// a host takes the place behind its neighbor, the nearest named host on a lower port of the same leaf (else on a
// higher one, then before it). So it stands where it will stand where names follow ports, and moves nobody. Where fewer
// than half of the hosts have names of their own, names say nothing, and the order is topological.
//
// Adapters are rails: "node1 mlx5_0" sends to "node2 mlx5_0". Each rail is a part of the order, to be judged by itself;
// so is each of several files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric/rules/host_part.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct HostOrder {
  enum class Parts : std::uint8_t {
    kRails,   // of the one order that `hosts` is
    kOrders,  // orders of their own: `hosts` is what they have in common
  };
  std::vector<EndportId> hosts;  // each host of the tree once; empty: as topological_order() finds them by GUID
  std::vector<HostPart> parts;   // none where one has all hosts
  Parts kind = Parts::kRails;
  std::string basis;  // what the hosts are numbered by, for people: "names", "topology: ..."
};

// Hosts leaf by leaf, leaves by GUID as far as their nearness allows.
[[nodiscard]] inline HostOrder order_by_topology() { return {.hosts = {}, .parts = {}, .basis = "topology"}; }

// What every end port is called; see order_by_names(). The text is that of whoever made it.
using EndportNames = IdVector<EndportId, std::string_view>;
[[nodiscard]] EndportNames descriptions(const Fabric& fabric);

// REQUIRES: one name per end port.
[[nodiscard]] HostOrder order_by_names(const FatTree& tree, const EndportNames& names);

// Hosts of the parts in the order of their weights, then all others by name. A host may be in several parts. What is no
// host of the tree is left out.
[[nodiscard]] HostOrder order_by_parts(const FatTree& tree, std::vector<HostPart> parts);

// All hosts in this order.
[[nodiscard]] std::vector<EndportId> hosts_in_order(const FatTree& tree, const HostOrder& order);

}  // namespace espalier
