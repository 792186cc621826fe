// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's switches by the ids of a snapshot. One walk over its map costs a tenth of a search by GUID for each.
#pragma once

#include "core/fabric/fabric.h"

struct osm_opensm;
struct osm_switch;

namespace espalier {

// Null where a switch of the snapshot is gone. REQUIRES: OpenSM's lock is held, now and as long as these are used.
[[nodiscard]] IdVector<SwitchId, osm_switch*> live_switches(const osm_opensm& osm, const Fabric& fabric);

}  // namespace espalier
