// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Groups of Cascade: grids whose rows and columns are complete graphs.
#include "core/packets/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace espalier::packets::test {
namespace {

using Neighbors = std::vector<std::vector<std::uint32_t>>;

// Router number[i] is at row i / columns and column i % columns.
Neighbors grid(std::uint32_t rows, std::uint32_t columns, const std::vector<std::uint32_t>& number) {
  Neighbors neighbors(std::size_t{rows} * columns);
  for (std::uint32_t a = 0; a < neighbors.size(); ++a)
    for (std::uint32_t b = 0; b < neighbors.size(); ++b)
      if (a != b && (a / columns == b / columns || a % columns == b % columns))
        neighbors[number[a]].push_back(number[b]);
  for (auto& list : neighbors) std::sort(list.begin(), list.end());
  return neighbors;
}

TEST(Grid, IsFoundWhateverTheOrderOfItsRouters) {
  std::mt19937 random(1001);
  for (const auto& [rows, columns] : {std::pair{2U, 2U}, {2U, 5U}, {5U, 2U}, {3U, 3U}, {6U, 16U}}) {
    std::vector<std::uint32_t> number(std::size_t{rows} * columns);
    std::iota(number.begin(), number.end(), 0U);
    for (int i = 0; i < 5; ++i) {
      std::shuffle(number.begin(), number.end(), random);
      const Neighbors neighbors = grid(rows, columns, number);
      const auto places = find_grid(neighbors);
      ASSERT_TRUE(places) << rows << " x " << columns;
      std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
      for (std::uint32_t r = 0; r < places->size(); ++r) {
        const GridPlace& place = (*places)[r];
        EXPECT_LT(place.row, std::min(rows, columns));
        EXPECT_LT(place.column, std::max(rows, columns));
        taken.insert({place.row, place.column});
        for (const std::uint32_t n : neighbors[r])
          EXPECT_TRUE((*places)[n].row == place.row || (*places)[n].column == place.column);
      }
      EXPECT_EQ(taken.size(), places->size());
    }
  }
}

TEST(Grid, IsNotFoundInOtherGraphs) {
  std::vector<std::uint32_t> number(12);
  std::iota(number.begin(), number.end(), 0U);
  Neighbors damaged = grid(3, 4, number);
  std::erase(damaged[0], 1);
  std::erase(damaged[1], 0);
  EXPECT_FALSE(find_grid(damaged));
  Neighbors complete(6);
  for (std::uint32_t a = 0; a < 6; ++a)
    for (std::uint32_t b = 0; b < 6; ++b)
      if (a != b) complete[a].push_back(b);
  EXPECT_FALSE(find_grid(complete));
  EXPECT_FALSE(find_grid({{1, 5}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {0, 4}}));  // a ring
  EXPECT_FALSE(find_grid({{}}));
  EXPECT_FALSE(find_grid({}));
}

}  // namespace
}  // namespace espalier::packets::test
