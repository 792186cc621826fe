// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Names that an administrator gives to nodes, by GUID, in the file that OpenSM and the infiniband-diags call a node name
// map: lines `0xGUID "name"`.
//
// --node-name-map FILE is an option of every subcommand: nodes are then called so wherever they are named, and found by
// these names.
#pragma once

#include <map>
#include <string>

#include "core/fabric/fabric.h"
#include "core/fabric/fabric_builder.h"

namespace espalier::tools {

// By GUID, quotes taken off. Or Refused.
[[nodiscard]] std::map<Guid, std::string> load_node_names(const std::string& path);

// From now on, of this process. Or Refused.
void use_node_names(const std::string& path);

// Gives nodes of the map in use their names, switches and channel adapters by the GUID of the node.
void name_nodes(FabricBuilder& builder);
// The same; ids stay what they are.
[[nodiscard]] Fabric with_names(Fabric fabric);

}  // namespace espalier::tools
