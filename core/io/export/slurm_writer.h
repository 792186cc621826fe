// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Slurm's topology.conf for topology/tree: which nodes hang on which leaf, which switches on which.
//
//   SwitchName=leaf-1 Nodes=node[01-18]
//   SwitchName=spine-1 Switches=leaf-1,leaf-2
//
// Names of switches are their descriptions, made of letters, digits and . _ - alone; of two equal ones each gets its
// GUID. Slurm takes nodes and switches on different lines only: the nodes of a switch that also has switches below are
// on a leaf made up for them, NAME_nodes. A switch without a node anywhere below is left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/fabric/fabric.h"

namespace espalier {

// `levels`: per SwitchId, height above the leaves; a cable leads down to the lower level, cables within a level are
// not told of. `hosts`: the end ports that belong to Slurm's nodes, each under the name in its description
// (host_list.h); those that name no host are counted in a remark. A host with two ports on one leaf is there once.
// REQUIRES: a level for each switch.
[[nodiscard]] std::string write_slurm_topology(const Fabric& fabric, std::span<const std::uint8_t> levels,
                                               std::span<const EndportId> hosts);

}  // namespace espalier
