// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Routes of GDBG(n, r) by arithmetic, without a table (Faizian 2018, Lemma 6): walks of h arcs from u reach the r^h
// consecutive nodes u r^h + y mod n, y = 0 .. r^h - 1, each number y by a walk of its own, whose digits in base r, the
// most significant first, say which arc to take at each node. Walks may run through loops and through a node twice.
#pragma once

#include <cstdint>
#include <optional>

#include "core/graphs/bounds.h"

namespace espalier {

// How many walks of exactly h arcs lead from u to d. REQUIRES: u, d < g.n; r^h < 2^63.
[[nodiscard]] std::uint64_t gdbg_walks(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h);

// The node after u on the i-th walk of exactly h arcs to d; none when there are no more than i. REQUIRES: h >= 1.
[[nodiscard]] std::optional<std::uint64_t> gdbg_next_hop(RegularGraph g, std::uint64_t u, std::uint64_t d,
                                                         std::uint32_t h, std::uint64_t i = 0);

}  // namespace espalier
