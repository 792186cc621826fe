// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hop counts along our own paths for OpenSM's dumps. OpenSM fills its hop tables with shortest paths; between spines
// and middles of different planes ours are longer, down to a leaf and up again.
#pragma once

#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"

extern "C" {
struct osm_opensm;
}

namespace espalier {

// For each switch and each other switch's LID, the count of the port that the packet takes.
// REQUIRES: OpenSM has filled its hop tables for this run, and `fabric` is a snapshot of `osm` taken under the same
// lock.
void write_hop_counts(osm_opensm& osm, const Fabric& fabric, const TableRows& tables);

}  // namespace espalier
