// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `balanced` is to make good: traffic patterns with weights, in the words by which `espalier analyze` measures
// them (core/analysis/congestion/traffic.h).
//
//   sp        shifts of the order in which jobs number hosts: the fullest channel of each
//   rp, a2a   random permutations, all to all: channels that are full in the mean over everything
//   phase     phases between node types both ways, where types are known
//   matrix    known flows, where a file of them is given (core/fabric/known_flows.h): the fullest channel when all run at once
//   offsets   all of this for traffic that is spread over all LIDs of a host, and offsets on disjoint switches
//
// The default is all of them but a2a, each with weight 1. Weights of sp, rp, a2a and matrix are weighed against one another;
// phase and offsets are wanted or not: they keep what they are about, as the others are improved.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace espalier {

struct Objective {
  double shifts = 1;
  double random = 1;  // rp and a2a together
  bool phases = true;
  bool offsets = true;
  double flows = 1;  // matrix
  bool operator==(const Objective&) const = default;
};

// "default", or words as above, each with "=WEIGHT" behind it or not, separated by commas: "sp=2,rp,phase".
// Errors: an unknown word, a word twice, a weight that is not above 0, neither sp nor rp nor a2a.
[[nodiscard]] Result<Objective> parse_objective(std::string_view words);

}  // namespace espalier
