// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// verify() as one would write it on a blackboard: a walk for each pair, the dependency graph as a map of sets. Shares
// no code with core/analysis.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"

namespace espalier::test {

using Place = std::pair<std::size_t, std::size_t>;  // (switch, LID), or (switch, port)

struct SlowReport {
  std::map<Violation::Kind, Place> first;  // kLoop and the local kinds: the lowest (switch, LID)
  std::uint64_t num_violations = 0;        // without the one for a credit loop
  bool all_delivered = true;               // by walking: each owned LID from each switch that has a path to it
  bool elsewhere_sound = true;             // existing entries for LIDs that cannot be reached are right, none circles
  std::map<Place, std::set<Place>> dependencies;
  bool has_cycle = false;
};

// `met`: the (switch, LID) pairs that count; null: all.
[[nodiscard]] SlowReport slow_verify(const Fabric& fabric, const ForwardingTables& tables,
                                     const std::set<Place>* met = nullptr);

// Where packets from these end ports to each other come along, by walking.
[[nodiscard]] std::set<Place> slow_met(const Fabric& fabric, const ForwardingTables& tables,
                                       const std::vector<EndportId>& endports);

}  // namespace espalier::test
