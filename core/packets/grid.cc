// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/grid.h"

#include <algorithm>

namespace espalier::packets {
namespace {

using Neighbors = std::vector<std::vector<std::uint32_t>>;

bool adjacent(const Neighbors& neighbors, std::uint32_t a, std::uint32_t b) {
  return std::binary_search(neighbors[a].begin(), neighbors[a].end(), b);
}

// The one of `line` that is `router` or next to it; line.size(): none, or several.
std::size_t only_neighbor(const Neighbors& neighbors, const std::vector<std::uint32_t>& line, std::uint32_t router) {
  const auto itself = std::find(line.begin(), line.end(), router);
  if (itself != line.end()) return static_cast<std::size_t>(itself - line.begin());
  std::size_t found = line.size();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!adjacent(neighbors, line[i], router)) continue;
    if (found != line.size()) return line.size();
    found = i;
  }
  return found;
}

bool is_grid(const Neighbors& neighbors, const std::vector<GridPlace>& place) {
  for (std::uint32_t a = 0; a < place.size(); ++a)
    for (std::uint32_t b = a + 1; b < place.size(); ++b) {
      const bool same_line = place[a].row == place[b].row || place[a].column == place[b].column;
      if (place[a] == place[b] || same_line != adjacent(neighbors, a, b)) return false;
    }
  return true;
}

}  // namespace

std::optional<std::vector<GridPlace>> find_grid(const Neighbors& neighbors) {
  if (neighbors.empty() || neighbors[0].empty()) return std::nullopt;
  // Router 0 is in one row and one column: its neighbors that are cabled to the first of them, and the others.
  std::vector<std::uint32_t> row = {0};
  std::vector<std::uint32_t> column = {0};
  for (const std::uint32_t n : neighbors[0])
    (n == neighbors[0][0] || adjacent(neighbors, n, neighbors[0][0]) ? row : column).push_back(n);
  if (row.size() < column.size()) row.swap(column);
  if (column.size() < 2 || row.size() * column.size() != neighbors.size()) return std::nullopt;

  std::vector<GridPlace> place(neighbors.size());
  for (std::uint32_t r = 0; r < neighbors.size(); ++r) {
    const std::size_t in_row = only_neighbor(neighbors, row, r);
    const std::size_t in_column = only_neighbor(neighbors, column, r);
    // Routers of the row have all of it for neighbors, and the column's first; likewise those of the column.
    const bool in_first_row = std::find(row.begin(), row.end(), r) != row.end();
    const bool in_first_column = std::find(column.begin(), column.end(), r) != column.end();
    place[r] = {in_first_row ? 0 : static_cast<std::uint32_t>(in_column),
                in_first_column ? 0 : static_cast<std::uint32_t>(in_row)};
    if (place[r].row >= column.size() || place[r].column >= row.size()) return std::nullopt;
  }
  if (!is_grid(neighbors, place)) return std::nullopt;
  return place;
}

}  // namespace espalier::packets
