// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/byte_block.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace espalier {
namespace {

using Bytes = std::array<std::uint8_t, ByteBlock::kSize>;

std::vector<std::size_t> set_bytes(const Bytes& bytes) {
  std::vector<std::size_t> places;
  ByteBlock::load(bytes.data()).for_each_set([&](std::size_t place) { places.push_back(place); });
  return places;
}

TEST(ByteBlock, VisitsBytesThatAreSetInTheirOrder) {
  std::mt19937 random(1003);
  for (const unsigned one_in : {1U, 2U, 16U, 500U})
    for (int draw = 0; draw < 200; ++draw) {
      Bytes bytes{};
      std::vector<std::size_t> expected;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (random() % one_in != 0) continue;
        bytes[i] = static_cast<std::uint8_t>(1U << random() % 8);  // one bit, wherever in the byte
        expected.push_back(i);
      }
      ASSERT_EQ(set_bytes(bytes), expected);
      ASSERT_EQ(ByteBlock::load(bytes.data()).any(), !expected.empty());
    }
}

TEST(ByteBlock, ComparesBytesWithoutSigns) {
  std::mt19937 random(1004);
  for (int draw = 0; draw < 200; ++draw) {
    Bytes a, b, result;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint8_t>(random());
      b[i] = draw % 2 == 0 ? static_cast<std::uint8_t>(random()) : a[i];
    }
    less(ByteBlock::load(a.data()), ByteBlock::load(b.data())).store(result.data());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(result[i], a[i] < b[i] ? 255 : 0);
  }
}

}  // namespace
}  // namespace espalier
