// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/large_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace espalier {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Below, at and beyond three huge pages, from which on there are some, and with a rest behind the last one.
constexpr std::size_t kSizes[] = {
    0, 1, 63, kHugePage, 3 * kHugePage - 1, 3 * kHugePage, 3 * kHugePage + 1, 5 * kHugePage + 4097};

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

TEST(LargeArray, BeginsAtACacheLineAndALargeOneAtAHugePage) {
  for (const std::size_t size : kSizes) {
    const LargeArray<std::uint8_t> array(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % (size >= 3 * kHugePage ? kHugePage : 64), 0U) << size;
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

}  // namespace
}  // namespace espalier
