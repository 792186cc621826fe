// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What no directed graph of n nodes with r arcs out and in of each can beat, and what GDBG(n, r) promises (Faizian
// 2018, 3.3 to 3.5; numbers are those of the lemmas). An undirected r-regular graph is one of these, so the first four
// hold for it as well. REQUIRES of all: n >= 2, r >= 2.
#pragma once

#include <cstdint>

namespace espalier {

struct RegularGraph {
  std::uint64_t n = 2;
  std::uint64_t r = 2;
};

// Lemma 1 (Moore): the diameter is at least ceil(log_r(n (r - 1) + 1)) - 1.
[[nodiscard]] std::uint32_t least_diameter(RegularGraph g);

// Lemma 2, LK(n, r, k): the least mean length of the k shortest paths over all pairs.
[[nodiscard]] double least_mean_distance(RegularGraph g, std::uint64_t k);

// Lemma 3: the pair with the fewest paths of at most h arcs has at most floor((r + r^2 + .. + r^h) / (n - 1)).
[[nodiscard]] std::uint64_t most_paths_of_every_pair(RegularGraph g, std::uint32_t h);

// Lemma 4, ML(n, r): under all-to-all traffic some arc has at least a load of LK(n, r, 1) (n - 1) / r.
[[nodiscard]] double least_max_load(RegularGraph g);

// Lemma 7: the diameter of GDBG is at most the smallest D with r^D >= n.
[[nodiscard]] std::uint32_t gdbg_diameter(RegularGraph g);

// Lemma 8: the mean length of the k shortest paths in GDBG is at most LK + H (r^H - 1) / ((r - 1)^2 k (n - 1)), where
// r^(H-1) / n < k <= r^H / n.
[[nodiscard]] double gdbg_mean_distance(RegularGraph g, std::uint64_t k);

// Lemma 9: every pair of GDBG has at least floor(r^H / n) paths of at most H arcs, H = gdbg_diameter(). True for walks
// that may run through loops and nodes twice; of simple paths some pairs have one less (GDBG(150, 8): 2, not 3).
[[nodiscard]] std::uint64_t gdbg_least_walks(RegularGraph g);

// Lemma 10: under all-to-all traffic with ALLPATH(H) no arc of GDBG has more than sum(i r^(i-1), i = 1 .. H) over the
// number of Lemma 9.
[[nodiscard]] double gdbg_max_load(RegularGraph g);

// Lemma 11: how near that is: about H n / (r - 1).
[[nodiscard]] double gdbg_max_load_estimate(RegularGraph g);

}  // namespace espalier
