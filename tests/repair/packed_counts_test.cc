// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packed counts are as many separate ones, of which the highest value stays.
#include "core/repair/reference/packed_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace espalier {
namespace {

constexpr std::size_t kCounts = 50;

void expect_like_separate_ones(PackedCounts::Width width, unsigned in_window, unsigned shares_of_removals) {
  const PackedCounts packed(width);
  ASSERT_LE(in_window, packed.most_in_window());
  const PackedCounts::Window mask = packed.mask(in_window);
  std::vector<std::uint8_t> row(packed.row_bytes(kCounts), 0);
  std::vector<unsigned> separate(kCounts, 0);
  std::mt19937 random(1001);
  for (int step = 0; step < 20000; ++step) {
    const std::size_t first = random() % (kCounts - in_window + 1);
    const bool is_removal = random() % 10 < shares_of_removals;
    const auto window = [&] { return packed.window(row.data(), first, mask); };
    is_removal ? packed.remove(row.data(), first, mask) : packed.add(row.data(), first, mask);
    unsigned most = 0;
    for (std::size_t i = first; i < first + in_window; ++i) {
      if (separate[i] != packed.highest() && (!is_removal || separate[i] != 0)) separate[i] += is_removal ? -1U : 1U;
      most = std::max(most, separate[i]);
    }
    ASSERT_EQ(packed.most(window()), most);
    for (const unsigned limit : {1U, 2U, most + 1, packed.highest()})
      ASSERT_EQ(packed.any_at_least(window(), limit), most >= std::min(limit, packed.highest()));
  }
  for (std::size_t i = 0; i < kCounts; ++i)
    EXPECT_EQ(packed.window(row.data(), i, packed.mask(1)), separate[i]) << "count " << i;
}

// Those that change are the same; where one is at an end none does.
void expect_wide_like_windows(unsigned in_wide, unsigned shares_of_removals) {
  const PackedCounts packed(PackedCounts::Width::kFourBits);
  const PackedCounts::Wide ones[] = {PackedCounts::wide_ones(0, in_wide), PackedCounts::wide_ones(1, in_wide)};
  std::vector<std::uint8_t> row(packed.wide_row_bytes(kCounts), 0);
  std::mt19937 random(1002);
  std::size_t refused = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t first = random() % (kCounts - in_wide + 1);
    const bool is_removal = random() % 10 < shares_of_removals;
    std::vector<std::uint8_t> expected = row;
    bool is_at_end = false;
    for (std::size_t i = first; i < first + in_wide; ++i) {
      const PackedCounts::Window mask = packed.mask(1);
      const PackedCounts::Window count = packed.window(row.data(), i, mask);
      is_at_end = is_at_end || count == packed.highest() || (is_removal && count == 0);
      is_removal ? packed.remove(expected.data(), i, mask) : packed.add(expected.data(), i, mask);
    }
    std::uint8_t* const bytes = row.data() + first / 2;
    const bool has_changed =
        is_removal ? PackedCounts::remove_wide(bytes, ones[first % 2]) : PackedCounts::add_wide(bytes, ones[first % 2]);
    ASSERT_EQ(has_changed, !is_at_end) << "from " << first << " on";
    if (has_changed) {
      ASSERT_EQ(row, expected) << "from " << first << " on";
    }
    refused += has_changed ? 0 : 1;
    row = expected;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 20000U);
}

// One count of a block is high: whether it is seen, wherever it is, beside others that are within the limit.
TEST(PackedCounts, OneAboveTheLimitIsSeenInABlock) {
  std::mt19937 random(1005);
  for (const auto width : {PackedCounts::Width::kFourBits, PackedCounts::Width::kByte}) {
    const PackedCounts packed(width);
    for (const unsigned limit : {0U, 1U, 6U, packed.highest() - 1, packed.highest()})
      for (std::size_t high = 0; high < packed.in_block(); ++high) {
        std::vector<std::uint8_t> row(packed.wide_row_bytes(2 * packed.in_block()), 0);
        const auto raise = [&](std::size_t i, unsigned to) {
          for (unsigned count = 0; count < to; ++count) packed.add(row.data(), i, packed.mask(1));
        };
        const unsigned within = std::min(limit, packed.highest() - 1);
        for (std::size_t i = 0; i < packed.in_block(); ++i) raise(i, static_cast<unsigned>(random() % (within + 1)));
        EXPECT_FALSE(packed.any_above_in_block(row.data(), 0, limit));
        raise(high, packed.highest());
        raise(packed.in_block() + high, within);
        EXPECT_TRUE(packed.any_above_in_block(row.data(), 0, limit)) << "limit " << limit << ", count " << high;
        EXPECT_FALSE(packed.any_above_in_block(row.data(), packed.in_block(), limit));
      }
  }
}

TEST(PackedCounts, ManyAtOnceAreLikeWindows) {
  for (const unsigned in_wide : {1U, 16U, 24U, PackedCounts::kMostInWide})
    for (const unsigned shares_of_removals : {3U, 5U, 7U}) expect_wide_like_windows(in_wide, shares_of_removals);
}

TEST(PackedCounts, AreLikeSeparateOnes) {
  for (const unsigned in_window : {1U, 2U, 7U, 12U, 15U})
    for (const unsigned shares_of_removals : {3U, 5U, 7U})
      expect_like_separate_ones(PackedCounts::Width::kFourBits, in_window, shares_of_removals);
  for (const unsigned in_window : {1U, 3U, 8U})
    for (const unsigned shares_of_removals : {3U, 5U, 7U})
      expect_like_separate_ones(PackedCounts::Width::kByte, in_window, shares_of_removals);
}

}  // namespace
}  // namespace espalier
