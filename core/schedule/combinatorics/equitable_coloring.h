// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Deals the edges of a bipartite multigraph into classes so that every vertex, and every group of vertices, gets its
// fair share of each class.
//
// What for? "Divide the flows into T phases such that no link carries two" is this problem: a flow that leaves leaf A
// by spine s and arrives at leaf B is an edge between the link (A, s) and the link (s, B); the links of one leaf are a
// group, because a leaf with k servers cannot send more than k flows at once. Later the same code deals the flows of a
// phase to the servers of a leaf.
//
// Definition. Each edge lies in one inner set on the left and one on the right; each inner set lies in one outer set
// of its side (two laminar families). A coloring with T classes is equitable when each of these sets S meets each
// class floor(|S|/T) or ceil(|S|/T) times.
//
// Theorem. It always exists. (The sets of two laminar families form a totally unimodular matrix; 1/T of everything is a
// feasible fraction, so there is an integral one. For sets that are single vertices this is Koenig's theorem, and an
// equitable edge coloring in the sense of D. de Werra, "Equitable colorations of graphs", 1971.)
//
// How. Euler splits (H. N. Gabow, "Using Euler partitions to edge color bipartite multigraphs", 1976). T even:
// pair the edges within each inner set; what is left over, at most one edge per inner set, is paired within the outer
// set, then over all. Left pairs and right pairs together form paths and even cycles; coloring them alternately splits
// every pair, and so halves every set. O(edges). T not a power of two: first a bounded flow (bounded_flow.h) takes out
// the share of the greatest power of two below T.
//
//     edges a b c of set X, T = 2:   a-b are a pair, c is left over for the outer set:  classes {a, c} {b}
//
// Edges may be bundles of equal edges, which are halved without being looked at one by one: dividing 120 000 flows into
// 378 phases touches each a few times only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace espalier {

// `count` equal edges. `tag` is the caller's.
struct Bundle {
  std::uint32_t left = 0;   // inner set
  std::uint32_t right = 0;  // inner set
  std::uint32_t count = 0;
  std::uint32_t tag = 0;
  bool operator==(const Bundle&) const = default;
};

// The inner sets of one side, each with its outer set.
struct LaminarSide {
  std::vector<std::uint32_t> outer_of;  // per inner set
  std::uint32_t num_outer = 0;
  // Every inner set in one outer set.
  [[nodiscard]] static LaminarSide flat(std::size_t num_inner) { return {std::vector<std::uint32_t>(num_inner, 0), 1}; }
};

// What one class gets: bundles with the counts that fell to it. Called for the classes in ascending order.
using ClassVisitor = std::function<void(std::uint32_t class_number, const std::vector<Bundle>& edges)>;

// REQUIRES: num_classes > 0; the sides have all sets that the edges name. Deterministic.
void color_equitably(const std::vector<Bundle>& edges, const LaminarSide& left, const LaminarSide& right,
                     std::uint32_t num_classes, const ClassVisitor& visit);

}  // namespace espalier
