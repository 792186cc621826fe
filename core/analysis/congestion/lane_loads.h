// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What each virtual lane carries: a lane that all traffic shares can be as full as a link of one lane, and lanes beside
// it idle.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/routes/host_routes.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier {

// From the owner of one LID to another LID, with the SL that `lanes` say.
struct LaneFlow {
  Lid from = kNoLid;
  Lid to = kNoLid;
  double amount = 1;
};

struct LaneLoads {
  struct Load {
    std::size_t channels = 0;  // between switches, with traffic on this lane
    double most = 0;           // on one of them
    double sum = 0;            // over all of them: amounts times hops
  };
  std::vector<Load> of_vl;  // per VL of the lanes
  double undelivered = 0;   // amounts that the tables do not deliver, or that an SL2VL table throws away
};

// Senders are end ports and switches. REQUIRES: LIDs are of the fabric, the tables, too.
[[nodiscard]] LaneLoads lane_loads(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                                   std::span<const LaneFlow> flows);

// Every host to every LID of every other, one flow in equal parts over the offsets that `use` says (no table).
[[nodiscard]] std::vector<LaneFlow> all_to_all_flows(const Fabric& fabric, std::span<const EndportId> hosts,
                                                     const LidUse& use);

}  // namespace espalier
