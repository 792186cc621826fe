// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair: tables for what the fabric is now, made of the tables of a reference. What still works stays, what broke is
// chosen anew.
//
// A pure function of its two arguments: no history, no clock, no draw, whatever the number of threads. So equipment
// that returns brings the reference's tables back byte for byte, and anybody who has both arguments can recompute what
// a subnet manager did.
//
//   Survivors      what is left of the reference's fabric           SurvivorCosts  what up-down paths are left
//   OpenEntries    entries that do not stand, of pairs with a path  PathChooser    new ports for them
//   rejoin         pairs that have no up-down path
//   FullShifts     flows that leave a channel that is too full under some shift
//
// What the reference does not know: new hosts follow others on their switch, and new switches hang like hosts on one that
// is known (arrivals.h), until somebody makes them part of a reference (extend_reference.h); the same is done here where
// that is not possible. New links between switches that it knows carry nothing until then, unless they join what nothing
// else joins. Entries for LIDs of ghosts stay as they are: nobody has these LIDs, and a host that reboots costs no block.
//
// If the pairs without an up-down path cannot be joined that way, they are all routed anew (complete_tables.h); if that
// fails as well, the whole fabric is. Both are pure, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engines/switch_paths.h"
#include "core/fabric/lanes.h"
#include "core/repair/memory/patched_tables.h"
#include "core/repair/reference/prepared_reference.h"

namespace espalier {

// How far the repair had to go; for tests and logs.
enum class RepairReach : std::uint8_t {
  kLocal,    // only what broke
  kDetours,  // and all pairs without an up-down path
  kAll,      // everything was routed anew
};

struct PatchedRepair {
  PatchedTables tables;       // of the fabric as it is now; rows that are as they were are the reference's
  std::uint64_t entries = 0;  // of switches and LIDs that are in both, that differ from the reference's
  // From a switch with hosts to a host's LID, that were broken and have a new up-down path. Those that take a detour now
  // are not counted.
  std::uint64_t repaired_routes = 0;
  std::vector<std::string> warnings;          // what an admin should know, one sentence each
  std::optional<Lanes> lanes = std::nullopt;  // where the reference has some
  RepairReach reach = RepairReach::kLocal;
  bool is_makeshift = false;       // everything by an engine that takes little time: a search finds better tables
  bool has_new_equipment = false;  // the fabric has switches, end ports or links that the reference does not know
  std::size_t num_following = 0;   // of these switches and end ports: that take the paths of others (arrivals.h)
};

// Without a copy of what has not changed, which is a large part of a small repair.
// REQUIRES: `reference` outlives the result. Errors: those of routing `now` with dmodc, if it comes to that.
[[nodiscard]] Result<PatchedRepair> patch(const PreparedReference& reference, const Fabric& now,
                                          const SwitchPathOptions& switch_paths = {});

}  // namespace espalier
