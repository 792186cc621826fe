// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Groups of Cray's Cascade (Faanes et al., SC 2012; Faizian 2018, 2.1.2): a grid of routers, each cabled to all of its row
// and to all of its column, also known as a rook's graph or a two-dimensional HyperX.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::packets {

struct GridPlace {
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  bool operator==(const GridPlace&) const = default;
};

// The places of routers 0 .. neighbors.size()-1, or none if they are no grid of at least two rows and two columns.
// Rows are at least as long as columns. neighbors[i]: those of router i, ascending, each once.
[[nodiscard]] std::optional<std::vector<GridPlace>> find_grid(const std::vector<std::vector<std::uint32_t>>& neighbors);

}  // namespace espalier::packets
