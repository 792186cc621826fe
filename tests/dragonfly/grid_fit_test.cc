// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Places in grids whose rows and columns are complete graphs, also where links and routers are missing.
#include "core/dragonfly/grid_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace espalier {
namespace {

using Neighbors = std::vector<std::vector<std::uint32_t>>;

// Router i is at row i / columns and column i % columns, without the last routers and a share of links.
Neighbors grid(std::uint32_t rows, std::uint32_t columns, std::uint32_t without_routers, double without_links,
               std::mt19937& random) {
  const std::uint32_t size = rows * columns - without_routers;
  std::vector<std::uint32_t> number(size);
  std::iota(number.begin(), number.end(), 0U);
  std::shuffle(number.begin(), number.end(), random);
  Neighbors neighbors(size);
  for (std::uint32_t a = 0; a < size; ++a)
    for (std::uint32_t b = a + 1; b < size; ++b)
      if ((a / columns == b / columns || a % columns == b % columns) &&
          std::generate_canonical<double, 32>(random) >= without_links) {
        neighbors[number[a]].push_back(number[b]);
        neighbors[number[b]].push_back(number[a]);
      }
  for (auto& list : neighbors) std::sort(list.begin(), list.end());
  return neighbors;
}

void expect_places(const Neighbors& neighbors, const GridFit& fit) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  std::size_t ends = 0;
  for (std::uint32_t r = 0; r < neighbors.size(); ++r) {
    const auto [row, column] = fit.places[r];
    EXPECT_LT(row, fit.rows);
    EXPECT_LT(column, fit.columns);
    taken.insert({row, column});
    ends += neighbors[r].size();
    for (const std::uint32_t n : neighbors[r]) EXPECT_TRUE(fit.places[n].row == row || fit.places[n].column == column);
  }
  EXPECT_EQ(taken.size(), neighbors.size());
  EXPECT_EQ(fit.links, ends / 2);
}

TEST(GridFit, GivesPlacesInWholeGrids) {
  std::mt19937 random(1001);
  for (const auto& [rows, columns] : {std::pair{2U, 2U}, {2U, 5U}, {5U, 2U}, {3U, 3U}, {4U, 6U}, {6U, 16U}})
    for (int i = 0; i < 5; ++i) {
      SCOPED_TRACE(columns);
      const Neighbors neighbors = grid(rows, columns, 0, 0, random);
      const auto fit = fit_grid(neighbors);
      ASSERT_TRUE(fit) << rows << " x " << columns;
      EXPECT_EQ(fit->rows, std::min(rows, columns));
      EXPECT_EQ(fit->columns, std::max(rows, columns));
      EXPECT_EQ(fit->links, fit->possible);
      EXPECT_TRUE(fit->is_whole());
      expect_places(neighbors, *fit);
    }
}

TEST(GridFit, GivesPlacesWhereATenthOfTheLinksAndARouterAreMissing) {
  std::mt19937 random(1001);
  for (const auto& [rows, columns] : {std::pair{2U, 12U}, {3U, 4U}, {4U, 4U}, {4U, 6U}, {6U, 16U}}) {
    std::size_t found = 0;
    for (int i = 0; i < 20; ++i) {
      const Neighbors neighbors = grid(rows, columns, i % 2, 0.1, random);
      const auto fit = fit_grid(neighbors);
      if (!fit) continue;
      ++found;
      expect_places(neighbors, *fit);
      EXPECT_LE(fit->links, fit->possible);
    }
    EXPECT_GE(found, 16U) << rows << " x " << columns;
  }
}

TEST(GridFit, IsNotWholeWithoutALinkOrARouter) {
  std::mt19937 random(1001);
  Neighbors damaged = grid(3, 4, 0, 0, random);
  std::erase(damaged[damaged[0].front()], 0U);
  damaged[0].erase(damaged[0].begin());
  for (const Neighbors& neighbors : {damaged, grid(3, 4, 1, 0, random)}) {
    const auto fit = fit_grid(neighbors);
    EXPECT_TRUE(fit);
    EXPECT_FALSE(fit && fit->is_whole());
  }
}

TEST(GridFit, RefusesOtherGraphs) {
  std::mt19937 random(1001);
  Neighbors stray = grid(3, 4, 0, 0, random);
  for (std::uint32_t r = 1; r < stray.size(); ++r)
    if (!std::binary_search(stray[0].begin(), stray[0].end(), r)) {
      stray[0].insert(std::lower_bound(stray[0].begin(), stray[0].end(), r), r);
      stray[r].insert(stray[r].begin(), 0);
      break;
    }
  EXPECT_FALSE(fit_grid(stray));
  Neighbors complete(6);
  for (std::uint32_t a = 0; a < 6; ++a)
    for (std::uint32_t b = 0; b < 6; ++b)
      if (a != b) complete[a].push_back(b);
  EXPECT_FALSE(fit_grid(complete));
  EXPECT_FALSE(fit_grid({{1, 5}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {0, 4}}));  // a ring
  EXPECT_FALSE(fit_grid({{}}));
  EXPECT_FALSE(fit_grid({}));
}

}  // namespace
}  // namespace espalier
