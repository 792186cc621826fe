// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Makes a textbook fabric more like those that are in use, whose oddities are what fat-tree engines stumble over: a CA
// inside every managed switch, service nodes on spines, racks that are not full, a link that came up slower, two
// leaves cabled to each other. Damage is another matter, see faults.h.
//
// What was there keeps its GUIDs, LIDs and ports. What is new has LIDs behind the highest, with the LMC of the end
// ports, and a GUID that nobody has; its link takes the lowest free port of the switch, or a new one behind the last,
// at the speed of that switch's first link.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

struct Modifiers {
  enum class AggregationNodes : std::uint8_t { kNone, kOnEverySwitch };

  // On a new port behind the last; a switch that has one already is left as it is.
  AggregationNodes aggregation_nodes = AggregationNodes::kNone;
  std::size_t missing_hosts = 0;  // channel adapters, with all their ports; no Aggregation Nodes
  std::size_t empty_places = 0;   // of such, those with the highest GUIDs: the last rack is not full. Not random
  std::size_t service_hosts = 0;  // dealt to the spines: the switches farthest from any host; may be more than these
  std::size_t slow_links = 0;     // of any kind, now at the next slower speed: 4xEDR to 4xFDR, 4xSDR to 1xSDR
  std::size_t leaf_links = 0;     // links between two switches with hosts; a switch gets at most one
  std::uint64_t seed = 0;
};

// As in faults.h, each kind has a random order of its own, which depends on the fabric and the seed only, and takes the
// front of it: more contains less, whatever else is asked for. Same result on every platform.
// Errors: more of a kind than there can be, or than there are hosts where hosts go; no spines for service hosts; a
// switch that would have more than 254 ports; no LIDs left.
[[nodiscard]] Result<Fabric> modify(const Fabric& fabric, const Modifiers& modifiers);

}  // namespace espalier
