// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds an SL for every (source switch, LID) of tables that damage, grids or odd links have made irregular.
//
// A path whose steps all ascend (dragonfly_lanes.h) with some SL can close no loop with others of its kind, so the
// first such SL is taken. Of what remains each path gets the first SL with which the dependency graph of all paths so
// far, plus an ascending step for every one that ascends() allows, has no cycle: first fit, as in LASH (Skeie 2002) and
// DFSSSP (Domke 2011), but with all SLs of a plan, where these have a lane each. The order of the graph is kept up to
// date with each dependency (Pearce and Kelly 2006).
//
// LIDs of one switch to which all others send alike, as its hosts mostly are, have the same SLs: they are one column of the
// tables, which is looked at once. Where all paths ascend there is no graph at all.
#pragma once

#include "core/base/result.h"
#include "core/engines/dragonfly/dragonfly_lanes.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct LaneSearch {
  ServiceLevels levels;
  std::uint64_t num_irregular = 0;  // (source switch, LID) that took the search
};

// `preferred`: SLs to try first, by (group of the source, LID); null: SL 0.
// SLs with more than `max_vls` lanes are left out. Errors: a path that fits nowhere.
[[nodiscard]] Result<LaneSearch> search_lanes(const Dragonfly& dragonfly, const ForwardingTables& tables,
                                              const SlPlan& plan, const ServiceLevels* preferred, unsigned max_vls);

}  // namespace espalier
