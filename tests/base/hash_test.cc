// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Against published values: of FNV-1a (the authors' test suite), of splitmix64 from state 0.
#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Fnv1a, IsAsPublished) {
  EXPECT_EQ(fnv1a(""), 0xCBF29CE484222325U);
  EXPECT_EQ(fnv1a("a"), 0xAF63DC4C8601EC8CU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171F73967E8U);
}

TEST(Splitmix64, IsAsPublished) {
  EXPECT_EQ(mix(0, 0), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(mix(1, 0), 0x6E789E6AA1B965F4U) << "the second draw";
}

}  // namespace
}  // namespace espalier
