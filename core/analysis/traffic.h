// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who sends to whom: the static traffic patterns of Gliksberg 2022, 2.2.1 and 2.3.2. Hosts are ranks 0 .. n-1 in an
// order that the caller chooses; shifts mean something only in an order that follows the topology.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace espalier {

struct TrafficPattern {
  enum class Kind : std::uint8_t {
    kAllToAll,            // A2A: every ordered pair of different hosts
    kShifts,              // SP: rank i sends to rank (i + k) mod n; one permutation for each k
    kRandomPermutations,  // RP(r)
  };
  Kind kind = Kind::kAllToAll;
  // kShifts: the step between one k and the next, from k = 1 on. kRandomPermutations: r. At least 1.
  std::uint32_t parameter = 1;

  bool operator==(const TrafficPattern&) const = default;
  // "a2a", "sp:STEP" ("sp" with step 1), "rp:R".
  [[nodiscard]] std::string text() const;
};

// A comma-separated list of words as in text(); "sp" is step 1, "rp" is 1000 permutations.
// Errors: an unknown word, a parameter that is no number from 1 to 1 000 000, an empty list.
[[nodiscard]] Result<std::vector<TrafficPattern>> parse_patterns(std::string_view list);

// The values of k: 1, 1 + step, ... below num_hosts. REQUIRES: step >= 1.
[[nodiscard]] std::vector<std::uint32_t> shift_distances(std::size_t num_hosts, std::uint32_t step);

// Destination rank per source rank. REQUIRES: k < num_hosts.
[[nodiscard]] std::vector<std::uint32_t> shift_permutation(std::size_t num_hosts, std::uint32_t k);

// The number-th of the uniformly random permutations of a seed; fixed points are allowed (thesis 2.3.1: "potentially
// itself"). Each is drawn on its own, so they can be made in any order; the same on every platform.
[[nodiscard]] std::vector<std::uint32_t> random_permutation(std::size_t num_hosts, std::uint64_t seed,
                                                            std::uint32_t number);

}  // namespace espalier
