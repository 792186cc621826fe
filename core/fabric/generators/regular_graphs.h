// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The graphs of direct_networks.h, as arcs between numbered nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/generators/direct_networks.h"

namespace espalier {

// A connected random r-regular simple graph of n nodes, each edge once; with n r odd one node has r - 1 edges. Joins
// random pairs of free ports; a node that keeps two free ports is put into the middle of a random edge (Singla 2012,
// 3). Errors: r >= n, or r too small to connect.
[[nodiscard]] Result<std::vector<Arc>> random_regular_graph(std::uint32_t n, std::uint32_t r, std::uint64_t seed);

// Arcs (i, (i r + c) mod n), c = 0 .. r-1, by node. At most 2 r are loops for r >= 2 (Faizian 2018, Lemma 5). Errors:
// r > n, for arcs would be double.
[[nodiscard]] Result<std::vector<Arc>> de_bruijn_graph(std::uint32_t n, std::uint32_t r);

// K(d, D): d^D + d^(D-1) nodes, d arcs each way, diameter D, no loops. Arcs (i, (-i d - c) mod n), c = 1 .. d.
// Errors: more than 65 535 nodes.
[[nodiscard]] Result<std::vector<Arc>> kautz_graph(std::uint32_t d, std::uint32_t diameter);

// 2 q^2 nodes of degree (3 q -+ 1) / 2, for q = 4 w +- 1; each edge once. Node x q + y is (0, x, y), node
// q^2 + m q + c is (1, m, c). Errors: q is no odd prime (powers of primes would need their fields).
[[nodiscard]] Result<std::vector<Arc>> slim_fly_graph(std::uint32_t q);

// One edge for each pair of neighbors; a dimension of 2 has one edge, not two. The last dimension counts fastest.
[[nodiscard]] std::vector<Arc> torus_graph(const std::vector<unsigned>& sizes);

// widths[i] parallel edges between any two nodes that differ in dimension i only. REQUIRES: as many widths as sizes.
[[nodiscard]] std::vector<Arc> hyperx_graph(const std::vector<unsigned>& sizes, const std::vector<unsigned>& widths);

}  // namespace espalier
