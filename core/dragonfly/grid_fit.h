// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Groups of Cray's Cascade (Faanes et al., SC 2012; Faizian 2018, 2.1.2): grids of routers, each cabled to all of its row
// and to all of its column, also known as a two-dimensional HyperX. Such a rook's graph is the line graph of a complete
// bipartite graph: the neighbors of a router are two cliques with no link between them, and two routers of different lines
// have two common neighbors, which stand in the corners (Shrikhande 1959).
//
// So the row and the column of one router give coordinates, and each other router stands where all of its neighbors are
// in its row or in its column. Links and routers may be missing: other neighbors then tell the place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier {

struct RowAndColumn {
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  bool operator==(const RowAndColumn&) const = default;
};

struct GridFit {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;         // at least as many
  std::vector<RowAndColumn> places;  // of each router, no two the same
  std::size_t links = 0;             // pairs that are cabled
  std::size_t possible = 0;          // pairs in one row or one column

  // Neither a link nor a router is missing.
  [[nodiscard]] bool is_whole() const { return links == possible && places.size() == std::size_t{rows} * columns; }
};

inline constexpr std::size_t kLeastRoutersOfGrid = 6;  // of a group: a square of four is just a ring

// Of routers 0 .. neighbors.size()-1; neighbors[i]: those of router i, ascending, each once. None: some link is neither in a
// row nor in a column, or too much is missing to tell; a quarter of the routers is too much.
[[nodiscard]] std::optional<GridFit> fit_grid(const std::vector<std::vector<std::uint32_t>>& neighbors);

}  // namespace espalier
