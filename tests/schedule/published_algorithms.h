// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Algorithms 1, 2, 4, 5 and 6 of the thesis (Stein 2024) as they are printed, mistakes included, to show what they do.
// Line numbers are those of the thesis.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::test {

using ServerPair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination
using PhaseList = std::vector<std::vector<ServerPair>>;      // per phase

// Algorithm 1 for two layers: M = [m0, m1].
[[nodiscard]] PhaseList published_bandwidth_optimal(std::uint32_t m0, std::uint32_t m1);

// Algorithm 2: `m0` servers per leaf, `bandwidth` working uplinks per leaf.
[[nodiscard]] std::uint64_t published_duration(const PhaseList& schedule, const std::vector<std::uint32_t>& bandwidth,
                                               std::uint32_t m0);

// Algorithms 4 and 5.
[[nodiscard]] PhaseList published_fault_adaptive(std::uint32_t m0, std::uint32_t m1, std::uint32_t f);

// Algorithm 6: the spine of each pair of each phase, in the schedule's order; ~0 within a leaf.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> published_spines(const PhaseList& schedule, std::uint32_t m0,
                                                                       const std::vector<std::uint32_t>& whole_spines);

}  // namespace espalier::test
