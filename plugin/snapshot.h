// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's subnet -> Fabric. Reads under the lock that OpenSM holds, writes nothing, keeps no pointer.
#pragma once

#include "core/base/result.h"
#include "core/fabric/fabric.h"

extern "C" {
struct osm_opensm;
}

namespace espalier {

// All switches that have forwarding tables, all ports of CAs and routers, all links that are up at both ends.
// Left out, since no packet takes them: links that are down or unhealthy, from a switch to itself, between two CAs.
// A port without LID, or whose LID OpenSM gave to another port, is there with kNoLid.
// Errors: those of FabricBuilder::build().
[[nodiscard]] Result<Fabric> take_snapshot(const osm_opensm& osm);

}  // namespace espalier
