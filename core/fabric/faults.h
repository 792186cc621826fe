// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Takes things out of a fabric, the way in which a subnet manager would see them gone. What remains keeps its GUIDs,
// LIDs and port numbers, so that tables from before and after can be compared entry by entry.
//
// A switch takes along its links and the end ports that hang on it (nobody can discover these any more). An end port
// whose link is removed stays, without a switch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

// How many of each, drawn at random.
struct Damage {
  std::size_t links = 0;     // links between two switches
  std::size_t switches = 0;  // switches without end ports, Aggregation Nodes not counted: any but the leaves
  std::size_t spines = 0;    // of these, those at the greatest distance (in links) from the nearest switch with hosts
  std::size_t endports = 0;  // end ports of any kind
  std::uint64_t seed = 0;
};

// Each of the four kinds has a random order of its own, which depends on the fabric and the seed only, and loses the
// front of that order. So with one seed more damage contains less damage, and the kinds may overlap: a link that is
// drawn may belong to a switch that is drawn. Same result on every platform.
// Errors: more of a kind than there are.
[[nodiscard]] Result<Fabric> degrade(const Fabric& fabric, const Damage& damage);

// As many of each kind as degrade() can remove; seed 0.
[[nodiscard]] Damage most_damage(const Fabric& fabric);

// What somebody takes out on purpose. Ids are those of the fabric; the same thing twice is taken out once.
struct Removal {
  std::vector<SwitchId> switches;
  std::vector<EndportId> endports;
  std::vector<ChannelId> links;  // either channel of a link between two switches, or from a switch to an end port
};

// REQUIRES: all of it is in the fabric, and links have a peer.
[[nodiscard]] Fabric without(const Fabric& fabric, const Removal& removal);

}  // namespace espalier
