// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// verify() as one would write it on a blackboard: a walk for each pair, the dependency graph as a map of sets. Shares
// no code with core/analysis.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "core/analysis/verify.h"

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

[[nodiscard]] SlowReport slow_verify(const Fabric& fabric, const ForwardingTables& tables);

}  // namespace espalier::test
