// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Routes of GDBG(n, r) by arithmetic, without a table (Faizian 2018, Lemma 6): walks of h arcs from u reach the r^h
// consecutive nodes u r^h + y mod n, y = 0 .. r^h - 1, each number y by a walk of its own, whose digits in base r, the
// most significant first, say which arc to take at each node. Walks may run through loops and through a node twice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graphs/bounds.h"
#include "core/graphs/digraph.h"

namespace espalier {

// How many walks of exactly h arcs lead from u to d. REQUIRES: u, d < g.n; r^h < 2^63.
[[nodiscard]] std::uint64_t gdbg_walks(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h);

// The node after u on the i-th walk of exactly h arcs to d; none when there are no more than i. REQUIRES: h >= 1.
[[nodiscard]] std::optional<std::uint64_t> gdbg_next_hop(RegularGraph g, std::uint64_t u, std::uint64_t d,
                                                         std::uint32_t h, std::uint64_t i = 0);

// The r of which these are the arcs of GDBG(n, r), node by node: as they are, or, as switches are cabled, with an arc
// each way. Loops and parallel arcs do not count. The largest such r, if any is above 1: with
// cables in both directions, small graphs may have several.
[[nodiscard]] std::optional<RegularGraph> recognize_gdbg(const Digraph& graph);

// The path that the arithmetic gives: a shortest one of GDBG(n, r) (where arcs go both ways, others may be shorter).
// Node `at` takes the one with number (at + d) modulo their number: the paper leaves open which, and the first of each
// node would load the first of its arcs (docs/measured/packets_dragonflies.md). What remains of a path at any of its
// nodes is the path of that node.
// REQUIRES: g is recognize_gdbg(graph); u is not d.
[[nodiscard]] std::vector<ArcId> gdbg_path(const Digraph& graph, RegularGraph g, NodeId u, NodeId d);

}  // namespace espalier
