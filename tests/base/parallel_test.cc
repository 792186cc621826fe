// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace espalier {
namespace {

TEST(Parallel, VisitsEachOnce) {
  std::vector<int> visits(1000);
  parallel_for(visits.size(), [&](std::size_t i) { ++visits[i]; });
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
}

TEST(Parallel, JoinsWhatBlocksHaveFound) {
  const auto sum = [](std::size_t begin, std::size_t end, std::size_t value) {
    for (std::size_t i = begin; i < end; ++i) value += i;
    return value;
  };
  EXPECT_EQ(parallel_reduce(1000, 7, std::size_t{0}, sum, [](std::size_t a, std::size_t b) { return a + b; }), 499500U);
}

TEST(Parallel, HandsExceptionsToTheCaller) {
  EXPECT_THROW(parallel_for(100,
                            [](std::size_t i) {
                              if (i == 57) throw std::runtime_error("57");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace espalier
