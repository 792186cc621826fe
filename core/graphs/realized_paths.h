// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How much of KSP(K), the K shortest paths of each pair (Faizian 2018, 2.1.1), tables with K LIDs per host realize. All
// of it is out of reach: all that is sent to one LID shares a tree, so a path for one pair settles the rest of the path
// for every switch on it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct RealizedPaths {
  std::uint32_t k = 0;          // LIDs of each host: the least that one has
  std::uint64_t pairs = 0;      // ordered pairs of switches with hosts that were looked at
  std::uint64_t requested = 0;  // paths that KSP(k) has for them
  std::uint64_t realized = 0;   // of these, on some LID; of equally long paths, whichever the tables took counts
  std::uint64_t distinct = 0;   // different paths on all LIDs, of any length

  [[nodiscard]] double share() const {
    return requested == 0 ? 1 : static_cast<double>(realized) / static_cast<double>(requested);
  }
};

// At most `most_pairs` pairs, evenly spread over all. REQUIRES: hosts hang on switches and have LIDs.
[[nodiscard]] RealizedPaths realized_paths(const Fabric& fabric, const ForwardingTables& tables,
                                           const std::vector<EndportId>& hosts, std::uint64_t most_pairs);

}  // namespace espalier
