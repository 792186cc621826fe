// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Slurm's topology/tree plugin: which nodes hang on which leaf, which switches on which. As topology.conf, and as the
// topology.yaml of Slurm 25.05 and later.
//
//   SwitchName=leaf-1 Nodes=node[01-18]
//   SwitchName=spine-1 Switches=leaf-1,leaf-2
//
// Names of switches are their descriptions, made of letters, digits and . _ - alone; of two equal ones each gets its
// GUID. Slurm takes nodes and switches on different lines only: the nodes of a switch that also has switches below are
// on a leaf made up for them, NAME_nodes. A switch without a node anywhere below is left out. Slurm wants one switch
// above all nodes: where there is none, a switch all_nodes is made up above those that have nothing above them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

// An end port, and the node of Slurm's that it belongs to.
struct SlurmHost {
  EndportId endport = kNoEndport;
  std::string node;
};

struct SlurmTree {
  struct Line {
    std::string name;
    std::vector<std::string> nodes;     // of these two one is empty
    std::vector<std::string> switches;  // of lines before this one
  };
  std::vector<Line> lines;
};

// `levels`: per SwitchId, height above the leaves; a link leads down to the lower level, links within a level are not
// told of. A node with two ports on one leaf is there once. REQUIRES: a level for each switch.
// Errors: what Slurm would refuse: no node at all; a node on two leaves, by name.
[[nodiscard]] Result<SlurmTree> slurm_tree(const Fabric& fabric, std::span<const std::uint8_t> levels,
                                           std::span<const SlurmHost> hosts);

// Of a dragonfly: its routers, or leaves, below a switch made up for each group, these below all_nodes. To be used with
// Slurm's TopologyParam=dragonfly. `group_of`: per SwitchId the number of its group. `group_names`: of each group.
[[nodiscard]] Result<SlurmTree> slurm_groups(const Fabric& fabric, std::span<const std::uint32_t> group_of,
                                             const std::vector<std::string>& group_names,
                                             std::span<const SlurmHost> hosts);

[[nodiscard]] std::string write_slurm_conf(const SlurmTree& tree);
[[nodiscard]] std::string write_slurm_yaml(const SlurmTree& tree);

}  // namespace espalier
