// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Graphviz text. Nodes are switches, "S" and GUID, and end ports, "H" and port GUID (routers: "R").
//
// Without tables: an undirected graph for the eye, one edge for each link, leaves in one row.
// With tables: a directed graph in the attribute style of ORCS (Schneider, Hoefler, Lumsdaine: ORCS, TR-675, 2009), an
// edge for each channel. Its comment lists the end ports that the channel leads to, by node name; "*" is all. ORCS
// takes nodes whose name begins with H for hosts. It knows one path for each pair, so that of the base LIDs is given.
#pragma once

#include <string>

#include "core/fabric/fabric.h"
#include "core/io/export/annotations.h"

namespace espalier {

[[nodiscard]] std::string write_dot(const Fabric& fabric, const Annotations& known = {});

}  // namespace espalier
