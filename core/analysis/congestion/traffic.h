// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who sends to whom: the static traffic patterns of Gliksberg 2022, 2.2.1 and 2.3.2. Hosts are ranks 0 .. n-1 in an
// order that the caller chooses; shifts mean something only in an order that follows the topology.
//
//   word            pattern                                                                         thesis
//   a2a             all to all: every ordered pair of different hosts                               2.2.1
//   sp[:STEP]       shifts: rank i sends to (i + k) mod n; one phase for k = 1, 1 + STEP, ...       2.3.2
//   rp[:R]          R random permutations; a host may be its own destination                        2.3.2
//   bisect[:R]      random bisections: one half of the hosts, drawn R times, sends to the other,    2.2.1
//                   each host to one (of an odd number one host is left out)
//   bibisect[:R]    the same, both halves send
//   ring[:R]        random-order rings: R orders; each host sends to the next                       2.2.1
//   biring[:R]      the same, each host sends to the next and to the one before
//   scatter         one host sends to all others; every host is the one once                        2.2.1
//   gather          all others send to one host; every host is the one once                         2.2.1
//   phase:A:B       node-type phases: hosts of type A send to hosts of type B, see below            3.3
//   matrix:FILE     an application's matrix: the flows that a file names                            2.2.1
//   advg:N          on a dragonfly: the hosts of group i send to all hosts of group i + N, in equal parts
//   advl:N          on a dragonfly: those of router i to all of router i + N of the same group
//   mixed:N:M:P     P percent as advg:N, the rest as advl:M
//                   (Garcia et al., ICPP 2013, section IV; each host sends at its full rate)
//
// A pattern is a sequence of phases, what goes on at one time. In all up to `ring` each host sends to at most one host
// and receives from at most one in a phase: a partial permutation.
//
// Instead of a number, R may be `auto` or `auto:SE`: as many draws as it takes until the standard error of the mean of
// mu is at most SE flows (2.3.2 asks for such a stop without giving one); see risk_distribution.h.
//
// Node-type phases. The case study of 3.3 lets each compute node send to the storage node of the fourth leaf after its
// own. In general: let the hosts of A be a_0 .. a_p-1 and those of B b_0 .. b_q-1, in the order of their ranks. In
// phase k a_i sends to b_j, j = (floor(i q / p) + k) mod q, and on the way back b_j sends to a_i. So neighbors share a
// destination when A is the larger type, every b has as many senders as any other up to one, and over k = 0 .. q-1 each
// pair meets once. With p = q and A = B these are the shifts. With 3 compute nodes and 1 storage node on each leaf
// phase 4 is that of 3.3 (and the thesis's "mod 32" has to be mod 24, the number of its leaves).
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
    kAllToAll,
    kShifts,
    kRandomPermutations,
    kBisections,
    kTwoWayBisections,
    kRings,
    kTwoWayRings,
    kScatter,
    kGather,
    kTypePhases,
    kMatrix,
    kAdversarialGlobal,
    kAdversarialLocal,
    kAdversarialMixed,
  };
  Kind kind = Kind::kAllToAll;
  // kShifts: the step between one k and the next, from k = 1 on. Random kinds: R; with a standard error, the most
  // draws. Adversarial kinds: N. At least 1.
  std::uint32_t parameter = 1;
  // Random kinds: stop at this standard error of mu, in flows; 0: make `parameter` draws.
  double standard_error = 0;
  std::string from = {};      // kTypePhases: A; kMatrix: the file
  std::string to = {};        // kTypePhases: B
  std::uint32_t local = 0;    // kAdversarialMixed: M
  std::uint32_t percent = 0;  // kAdversarialMixed: P, 0 to 100

  bool operator==(const TrafficPattern&) const = default;
  // The word without parameters, as in "mu_rp_median".
  [[nodiscard]] std::string_view name() const;
  // As it is written: "a2a", "sp:STEP" ("sp" with step 1), "rp:R", "rp:auto:SE", "phase:A:B", ...
  [[nodiscard]] std::string text() const;
  // Whether it is of the groups of a dragonfly.
  [[nodiscard]] bool is_adversarial() const;
  // Whether phases are drawn by a seed.
  [[nodiscard]] bool is_random() const;
  // Whether each phase is a partial permutation, so that permutation() knows it.
  [[nodiscard]] bool has_permutations() const;
};

// A comma-separated list of words as in text(); "sp" is step 1; random kinds make 1000 draws, `auto` stops at a
// standard error of 0.05 and at most 100 000 draws.
// Errors: an unknown word, a parameter that is no number from 1 to 1 000 000, a standard error that is not above 0, a
// file or type without name, an empty list.
[[nodiscard]] Result<std::vector<TrafficPattern>> parse_patterns(std::string_view list);

// The k of "sp:step": 1, 1 + step, ... below num_hosts.
[[nodiscard]] std::vector<std::uint32_t> shift_distances(std::size_t num_hosts, std::uint32_t step);

// Destination of each source: (i + k) mod n.
[[nodiscard]] std::vector<std::uint32_t> shift_permutation(std::size_t num_hosts, std::uint32_t k);

// The number-th of the uniformly random permutations of a seed; fixed points are allowed (thesis 2.3.1: "potentially
// itself"). Each is drawn on its own, so they can be made in any order; the same on every platform.
[[nodiscard]] std::vector<std::uint32_t> random_permutation(std::size_t num_hosts, std::uint64_t seed,
                                                            std::uint32_t number);

// How many phases; with a standard error, the most.
// REQUIRES here and below: pattern.has_permutations().
[[nodiscard]] std::size_t num_permutations(std::size_t num_hosts, const TrafficPattern& pattern);

// The destination of each source in the number-th phase; a host that does not send has itself.
// REQUIRES: number < num_permutations().
[[nodiscard]] std::vector<std::uint32_t> permutation(std::size_t num_hosts, const TrafficPattern& pattern,
                                                     std::uint64_t seed, std::uint32_t number);

}  // namespace espalier
