// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One thing that `espalier check` says about a fabric, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/tree/cabling/cabling_pattern.h"

namespace espalier::tools {

struct Finding {
  std::string kind;      // stable words: "wrong link", "missing link", "two speeds", ...
  std::string at;        // where, as --remove takes it: "leaf 12/7"; or a line of the file; empty: the whole fabric
  std::string expected;  // what should be there, in the same form; empty where nobody can know
  std::string text;      // one sentence
};

// "leaf 12/7": the description of a node, or its GUID where two nodes have that description, and a port if there is
// one.
[[nodiscard]] std::string port_name(const Fabric& fabric, SwitchId s, PortNum port);
[[nodiscard]] std::string peer_name(const Fabric& fabric, const Peer& peer);

[[nodiscard]] std::vector<Finding> describe(const Fabric& fabric, const std::vector<CablingFinding>& findings);

// Cables of `fabric` against those of `plan`, port by port: cables in another place than planned, missing ones and ones
// that the plan does not have. Nodes are matched by GUID when half of the switches of the plan are found so, else by
// their descriptions. Switches and hosts that only one of the two has are findings of their own.
[[nodiscard]] std::vector<Finding> differences_to_plan(const Fabric& fabric, const Fabric& plan);

// Hosts with several adapters ("node7 mlx5_0", "node7 mlx5_1") of which two are swapped: each on a leaf where nearly
// all others are of the other adapter's rail.
[[nodiscard]] std::vector<Finding> find_crossed_rails(const Fabric& fabric);

}  // namespace espalier::tools
