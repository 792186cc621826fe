// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// New tables in slices: a few blocks for each sweep, so that a rebalance does not flood the fabric with management
// packets, nor move all flows at once. Knows no OpenSM, and keeps nothing between sweeps: what has been sent is what the
// switches have.
//
// Every LID has either its old routes or its new ones, on all switches: routes for one LID never mix. A slice is
//   1. all LIDs that have lost a route: the fabric waits for these, whatever the limit
//   2. of the others as many as the limit allows, in ascending order, by columns: the same 64 LIDs on all switches; one
//      column, if nothing else is to be sent
// What then is in the switches, old and new side by side, has to be proven as any other tables are (verify.h), and what
// may be there while the blocks are on their way as well (compatible_tables.h). Where the proof fails, half of the
// second part is left out, and so on. Where no part passes both, one that passes the first is sent: a usual upload has no
// better proof. Where none passes that, everything is sent at once, which is sound when it has been sent, as are changes
// that fit into one slice.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Slice {
  ForwardingTables tables;  // what the switches have when it is sent
  std::uint64_t blocks = 0;
  std::uint64_t blocks_left = 0;  // for later sweeps
  enum class Proof : std::uint8_t {
    kUnderway,  // sound in whichever order the blocks arrive
    kWhenSent,  // sound when all have arrived
    kNone,      // no part is proven, so everything is sent
  } proof = Proof::kUnderway;
};

// The slice that comes next. REQUIRES: `wanted` are sound on this fabric, for one lane; `current` has the same switches,
// and is as wide; max_blocks > 0.
[[nodiscard]] Slice next_slice(const Fabric& fabric, const ForwardingTables& current, const ForwardingTables& wanted,
                               std::uint64_t max_blocks);

}  // namespace espalier
