// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Exchanges by formula, for comparison: they fix who meets whom in which phase before anybody looks for routes.
//
//   linear shift          in phase p server s sends to s + p
//   bandwidth-optimal     the servers of a leaf send to as many leaves as possible (Prisacari et al. 2013, thesis 5.3)
//   fault-adaptive        no leaf sends or receives more than M0 - f flows (thesis 6.3, Algorithms 4 and 5)
//
// Deviations. Algorithm 1 exchanges the moduli of the two digits of a destination: right only for M0 = M1.
// Algorithm 5 lets a server receive twice where M0 and M1 - 1 have a common divisor, and a pair of leaves meet twice
// where M0 - f > M1 - 1. The second cannot be helped, and does no harm when spines are chosen by coloring
// (phase_spines.h); for the first, here the formula decides which leaves meet, and two fair divisions
// (equitable_coloring.h) which of their servers. Algorithm 2 prints floors for the formula's ceilings, so that a
// congested phase costs nothing. tests/schedule/published_algorithms_test.cc runs them as printed.
//
// paper              here
// M_0, M_1           servers, leaves
// Theta~(i)          even_phase
// theta_s            first_index
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier {

using ServerPair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination; servers count leaf by leaf
using PhaseList = std::vector<std::vector<ServerPair>>;      // per phase

[[nodiscard]] PhaseList linear_shift(std::uint32_t num_servers);
// `leaves` leaves of `servers` each.
[[nodiscard]] PhaseList bandwidth_optimal(std::uint32_t servers, std::uint32_t leaves);
// Pairs on one leaf meet where both rest, in further phases if need be; the own part is left out.
// REQUIRES: reduction < servers, leaves > 1.
[[nodiscard]] PhaseList fault_adaptive(std::uint32_t servers, std::uint32_t leaves, std::uint32_t reduction);

// Algorithm 2: how long the phases take together when each lasts as long as the most loaded uplinks of a leaf, loaded
// as evenly as possible. `uplinks` per leaf. A phase within leaves takes no time.
// REQUIRES: a leaf that sends or receives has an uplink.
[[nodiscard]] std::uint64_t exchange_duration(const PhaseList& phases, const std::vector<std::uint32_t>& uplinks,
                                              std::uint32_t servers_per_leaf);

}  // namespace espalier
