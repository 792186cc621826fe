// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/grid_fit.h"

#include <algorithm>
#include <numeric>

namespace espalier {
namespace {

using Routers = std::vector<std::uint32_t>;
using NeighborLists = std::vector<Routers>;

constexpr std::size_t kMostSeeds = 16;
constexpr std::uint32_t kNobody = ~0U;

// The neighbors of a router, apart where no link joins them, with the router itself: its row and its column, or none if
// these are not two.
std::optional<std::pair<Routers, Routers>> lines_of(const NeighborLists& neighbors, std::uint32_t router) {
  Routers left = neighbors[router];
  std::vector<Routers> lines;
  while (!left.empty()) {
    if (lines.size() == 2) return std::nullopt;
    Routers line = {left.front()};
    left.erase(left.begin());
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Routers& next = neighbors[line[i]];
      const auto apart = std::partition(left.begin(), left.end(),
                                        [&](auto r) { return !std::binary_search(next.begin(), next.end(), r); });
      line.insert(line.end(), apart, left.end());
      left.erase(apart, left.end());
    }
    line.insert(line.begin(), router);
    lines.push_back(std::move(line));
  }
  if (lines.size() < 2) return std::nullopt;
  if (lines[0].size() < lines[1].size()) lines[0].swap(lines[1]);
  return std::pair(std::move(lines[0]), std::move(lines[1]));
}

// Routers that take their places one after the other.
class Grid {
 public:
  // What tells a router's place: neighbors in its row and in its column, or in one of these; and how many places are left.
  struct Want {
    int least_lines;
    int most_places;
  };
  static constexpr int kAny = 1'000'000;

  Grid(const NeighborLists& neighbors, const Routers& row, const Routers& column)
      : neighbors_(neighbors),
        rows_(static_cast<std::uint32_t>(column.size())),
        columns_(static_cast<std::uint32_t>(row.size())),
        at_(row.size() * column.size(), kNobody),
        cell_(neighbors.size(), kNobody) {
    for (std::uint32_t j = 0; j < columns_; ++j) put(row[j], j);
    for (std::uint32_t i = 1; i < rows_; ++i) put(column[i], i * columns_);
  }

  // Whether all have a place. Those come first whose row and column are known, then those with one place left, then any.
  bool fill() {
    while (std::find(cell_.begin(), cell_.end(), kNobody) != cell_.end())
      if (!place_next({2, 1}) && !place_next({1, 1}) && !place_next({1, kAny})) return false;
    return true;
  }

  // None: some link is in no line.
  [[nodiscard]] std::optional<GridFit> fit() const {
    GridFit fit{.rows = rows_, .columns = columns_, .places = {}, .links = 0, .possible = 0};
    for (const std::uint32_t cell : cell_) fit.places.push_back({cell / columns_, cell % columns_});
    const auto in_line = [&](std::uint32_t a, std::uint32_t b) {
      return a != b && (fit.places[a].row == fit.places[b].row || fit.places[a].column == fit.places[b].column);
    };
    for (std::uint32_t a = 0; a < cell_.size(); ++a) {
      for (const std::uint32_t b : neighbors_[a])
        if (!in_line(a, b)) return std::nullopt;
      fit.links += neighbors_[a].size();
      for (std::uint32_t b = 0; b < cell_.size(); ++b) fit.possible += in_line(a, b);
    }
    fit.links /= 2;
    fit.possible /= 2;
    return fit;
  }

 private:
  void put(std::uint32_t router, std::uint32_t cell) {
    at_[cell] = router;
    cell_[router] = cell;
  }

  // Places one, or all whose row and column are known.
  bool place_next(const Want& want) {
    bool placed = false;
    for (std::uint32_t r = 0; r < cell_.size() && (!placed || want.least_lines == 2); ++r) {
      if (cell_[r] != kNobody) continue;
      const std::uint32_t cell = place_for(r, want);
      if (cell == kNobody) continue;
      put(r, cell);
      placed = true;
    }
    return placed;
  }

  // The first free cell in whose row and column all placed neighbors stand; kNobody: none as wanted.
  [[nodiscard]] std::uint32_t place_for(std::uint32_t router, const Want& want) const {
    Routers in_row(rows_, 0);
    Routers in_column(columns_, 0);
    std::uint32_t placed = 0;
    for (const std::uint32_t n : neighbors_[router])
      if (cell_[n] != kNobody) ++in_row[cell_[n] / columns_], ++in_column[cell_[n] % columns_], ++placed;
    std::uint32_t found = kNobody;
    int num_found = 0;
    for (std::uint32_t cell = 0; cell < at_.size() && num_found <= want.most_places; ++cell) {
      const std::uint32_t row = in_row[cell / columns_];
      const std::uint32_t column = in_column[cell % columns_];
      if (at_[cell] != kNobody || row + column != placed || (row > 0) + (column > 0) < want.least_lines) continue;
      if (++num_found == 1) found = cell;
    }
    return num_found <= want.most_places ? found : kNobody;
  }

  const NeighborLists& neighbors_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  Routers at_;    // per cell, row by row
  Routers cell_;  // per router
};

}  // namespace

std::optional<GridFit> fit_grid(const NeighborLists& neighbors) {
  // Routers with most neighbors have lost the fewest: their lines are whole.
  Routers seeds(neighbors.size());
  std::iota(seeds.begin(), seeds.end(), 0U);
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](auto a, auto b) { return neighbors[a].size() > neighbors[b].size(); });
  seeds.resize(std::min(seeds.size(), kMostSeeds));
  for (const std::uint32_t seed : seeds) {
    const auto lines = lines_of(neighbors, seed);
    if (!lines) continue;
    const std::size_t cells = lines->first.size() * lines->second.size();
    if (cells < neighbors.size() || 4 * neighbors.size() <= 3 * cells) continue;
    Grid grid(neighbors, lines->first, lines->second);
    if (!grid.fill()) continue;
    if (auto fit = grid.fit()) return fit;
  }
  return std::nullopt;
}

}  // namespace espalier
