// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/fast_divide.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(FastDivider, AgreesWithDivisionAtEveryEdge) {
  for (const std::uint32_t d :
       {1U, 2U, 3U, 7U, 18U, 24U, 255U, 1000003U, 1U << 20, (1U << 20) + 1, 1U << 31, 0xFFFFFFFFU}) {
    const FastDivider divider(d);
    for (std::uint64_t multiple = 0; multiple < (1U << 21); multiple += d)
      for (const std::uint64_t n : {multiple, multiple + 1, multiple + d - 1}) {
        if (n >= (1U << 21)) continue;
        ASSERT_EQ(divider.quotient(static_cast<std::uint32_t>(n)), n / d) << n << " / " << d;
        ASSERT_EQ(divider.remainder(static_cast<std::uint32_t>(n)), n % d) << n << " % " << d;
      }
  }
}

TEST(FastDivider, AgreesWithDivisionForEverySmallPair) {
  for (std::uint32_t d = 1; d < 600; ++d)
    for (std::uint32_t n = 0; n < 60000; n += 7) ASSERT_EQ(FastDivider(d).quotient(n), n / d);
}

}  // namespace
}  // namespace espalier
