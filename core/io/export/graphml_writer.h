// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// GraphML, for networkx, igraph, Gephi, yEd: nodes are switches and end ports, one undirected edge for each link.
//
// Nodes: kind (switch, ca, router), label, guid, lid, level (of switches, when known). A node's id is "S" or "H" and
// its (port) GUID. Edges: source_port, target_port, rate ("4xQDR"), mbps.
#pragma once

#include <string>

#include "core/fabric/fabric.h"
#include "core/io/export/annotations.h"

namespace espalier {

// `known.tables` are not written.
[[nodiscard]] std::string write_graphml(const Fabric& fabric, const Annotations& known = {});

}  // namespace espalier
