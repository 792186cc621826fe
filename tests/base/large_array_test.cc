// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/large_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "tests/support/page_faults.h"
#include "tests/support/resident_memory.h"

namespace espalier {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t kOwnPages = kHugePage / 2;  // from which size on arrays have some where no others have room

// On both sides of the sizes from which on arrays share huge pages and may have their own, and with a rest behind the last.
constexpr std::size_t kSizes[] = {0,
                                  1,
                                  63,
                                  kLargeArray - 1,
                                  kLargeArray,
                                  kLargeArray + 1,
                                  kOwnPages - 1,
                                  kOwnPages,
                                  kHugePage,
                                  3 * kHugePage + 1,
                                  5 * kHugePage + 4097};

std::uint8_t value_at(std::size_t i) { return static_cast<std::uint8_t>(i * 31 + i / 4096); }

LargeArray<std::uint8_t> filled(std::size_t size) {
  LargeArray<std::uint8_t> array(size);
  for (std::size_t i = 0; i < size; ++i) array[i] = value_at(i);
  return array;
}

bool is_filled(const LargeArray<std::uint8_t>& array) {
  for (std::size_t i = 0; i < array.size(); ++i)
    if (array[i] != value_at(i)) return false;
  return true;
}

TEST(LargeArray, HoldsWhatIsWrittenWhateverItsSize) {
  for (const std::size_t size : kSizes) {
    const LargeArray<std::uint8_t> array = filled(size);
    EXPECT_EQ(array.size(), size);
    EXPECT_TRUE(is_filled(array)) << size;
  }
}

TEST(LargeArray, BeginsAtACacheLine) {
  for (const std::size_t size : kSizes) {
    const LargeArray<std::uint8_t> array(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U) << size;
  }
}

TEST(LargeArray, CopiesAreTheirOwnAndAMovedOneIsEmpty) {
  for (const std::size_t size : kSizes) {
    LargeArray<std::uint8_t> first = filled(size);
    LargeArray<std::uint8_t> copy = first;
    if (size != 0) first[size - 1] = static_cast<std::uint8_t>(value_at(size - 1) + 1);
    EXPECT_TRUE(is_filled(copy)) << size;
    const LargeArray<std::uint8_t> moved = std::move(copy);
    EXPECT_TRUE(is_filled(moved)) << size;
    EXPECT_EQ(copy.size(), 0U);  // NOLINT(bugprone-use-after-move)
    first = moved;
    EXPECT_TRUE(is_filled(first)) << size;
  }
}

TEST(LargeArray, FillsAllBytes) {
  LargeArray<std::uint32_t> array(1000);
  array.fill_bytes(0xFF);
  for (std::size_t i = 0; i < array.size(); ++i) EXPECT_EQ(array[i], 0xFFFFFFFF);
}

TEST(LargeVector, GrowsThroughAllSizes) {
  LargeVector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 2'000'000; ++i) numbers.push_back(i);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
  numbers.resize(1000);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers[999], 999U);
}

TEST(LargeVector, ElementsOwnWhatTheyOwn) {
  LargeVector<std::string> names(10'000, std::string(100, 'n'));
  const LargeVector<std::string> copy = names;
  names.clear();
  EXPECT_EQ(copy.back(), std::string(100, 'n'));
}

// Arrays that share pages come and go in no order, from several threads at once, and nobody writes into another's.
TEST(LargeArray, ThreadsShareHugePagesWithoutSharingArrays) {
  parallel_for(8, [](std::size_t thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    std::vector<LargeArray<std::uint8_t>> held(12);
    for (int i = 0; i < 100; ++i) {
      LargeArray<std::uint8_t>& array = held[random() % held.size()];
      EXPECT_TRUE(is_filled(array));
      array = filled(kLargeArray + random() % (kOwnPages - kLargeArray));
    }
    for (const auto& array : held) EXPECT_TRUE(is_filled(array));
  });
}

TEST(PrefaultLarge, ThreadsTakeAndGiveBackSideBySide) {
  parallel_for(8, [](std::size_t thread) {
    std::mt19937 random(static_cast<unsigned>(thread));
    std::vector<LargeArray<std::uint8_t>> held(4);
    for (int i = 0; i < 50; ++i) {
      if (random() % 8 == 0) prefault_large(random() % (8 * kHugePage));
      LargeArray<std::uint8_t>& array = held[random() % held.size()];
      EXPECT_TRUE(is_filled(array));
      array = filled(kLargeArray + random() % (3 * kHugePage));
    }
    for (const auto& array : held) EXPECT_TRUE(is_filled(array));
  });
}

// Sanitizers have memory of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// What is free is used again: a hundred times one array takes no more room than one.
TEST(LargeArray, FreedPagesAreUsedAgain) {
  const LargeArray<std::uint8_t> stays = filled(kOwnPages - 1);
  const std::size_t before = test::resident_memory();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(is_filled(filled(kOwnPages - 1)));
  EXPECT_LT(test::resident_memory(), before + 8 * kHugePage);
}

TEST(PrefaultLarge, ArraysOfAllSizesFindMemoryThatIsThere) {
  prefault_large(32 * kHugePage);
  std::vector<LargeArray<std::uint8_t>> arrays;
  arrays.reserve(100);
  const long before = test::page_faults();
  for (std::size_t left = 31 * kHugePage; left > 3 * kHugePage; left -= arrays.back().size())
    arrays.push_back(filled(left / 4));
  EXPECT_LE(test::page_faults() - before, 4);
  for (const auto& array : arrays) EXPECT_TRUE(is_filled(array));
}

// Huge pages of a large array go back at once, from between arrays that stay as well, and what stays keeps its values.
TEST(PrefaultLarge, WhatALargeArrayLeavesGoesBack) {
  prefault_large(40 * kHugePage);
  const auto first = filled(kHugePage + 123);
  auto large = filled(30 * kHugePage);
  const auto last = filled(kHugePage + 123);
  const std::size_t before = test::resident_memory();
  large = {};
  EXPECT_LT(test::resident_memory() + 28 * kHugePage, before);
  EXPECT_TRUE(is_filled(first));
  EXPECT_TRUE(is_filled(last));
  EXPECT_TRUE(is_filled(filled(25 * kHugePage))) << "where the large one was";
  EXPECT_TRUE(is_filled(first));
  EXPECT_TRUE(is_filled(last));
}

// Each time more than there is: what nobody has used is not kept besides.
TEST(PrefaultLarge, AskedForMoreItKeepsNoTwo) {
  const std::size_t before = test::resident_memory();
  for (std::size_t pages = 8; pages <= 64; pages += 8) prefault_large(pages * kHugePage);
  EXPECT_LT(test::resident_memory(), before + 80 * kHugePage);
}

TEST(PrefaultLarge, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const std::size_t before = test::resident_memory();
  prefault_large(100 * kHugePage, stop.get_token());
  EXPECT_LT(test::resident_memory(), before + 4 * kHugePage);
  EXPECT_TRUE(is_filled(filled(50 * kHugePage))) << "where it would have been";
}
#endif

}  // namespace
}  // namespace espalier
