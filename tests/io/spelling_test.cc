// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/spelling.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(DidYouMean, NamesTheNearestOfSeveralWordsThatIsAtMostTwoLettersAway) {
  const std::vector<std::string> known{"balance_ms", "balance_wall_ms", "seed"};
  EXPECT_EQ(did_you_mean("balanced_ms", known), " (did you mean balance_ms?)");
  EXPECT_EQ(did_you_mean("sed", known), " (did you mean seed?)");
  EXPECT_EQ(did_you_mean("seeds_ab", known), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace espalier
