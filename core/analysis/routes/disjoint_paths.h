// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the LIDs of a host are worth when something breaks: on how many paths that share no switch the offsets of a LID
// range lead from one host to another, and whether any single fault leaves one of them.
//
// Automatic path migration has a second path in the adapter and goes over to it without asking anybody; Open MPI, UCX
// and verbs programs that open a connection to each LID of a peer go on with what is left. Both need paths that do not
// break together. The switches that source and destination hang on are shared by all paths and do not count.
//
// Example: LMC 1, two spines. Offsets 0 and 1 over different spines: 2 disjoint paths, and one is intact whatever spine
// or link fails. Both over the same spine by parallel links: 1 disjoint path; any link may fail, but not the spine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Of ordered pairs of hosts on different switches.
struct DisjointPaths {
  std::uint64_t num_pairs = 0;
  // pairs_with[n]: pairs with at most n paths of which no two share a switch in between; 0: no path arrives.
  std::vector<std::uint64_t> pairs_with;
  std::uint64_t survive_link = 0;    // pairs with an intact path whatever link between switches fails
  std::uint64_t survive_switch = 0;  // whatever switch fails but their own two

  [[nodiscard]] double mean() const;
};

// Over all LIDs of each destination, as many as the host with most has. With more than 12 disjoint paths possible the
// count may fall short: they are taken greedily. Cost: a walk for each switch with hosts, destination and LID.
[[nodiscard]] DisjointPaths disjoint_paths(const Fabric& fabric, const ForwardingTables& tables,
                                           const std::vector<EndportId>& hosts);

}  // namespace espalier
