// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/disjoint_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier {
namespace {

using testing::ElementsAre;

TEST(DisjointSets, AreNumberedByTheirLowestElements) {
  DisjointSets sets(6);
  sets.join(4, 1);
  sets.join(5, 3);
  sets.join(3, 4);
  EXPECT_THAT(sets.numbers(), ElementsAre(0, 1, 2, 1, 1, 1));
}

TEST(DisjointSets, AreRepresentedByTheSecondOfThoseWhoAreJoined) {
  DisjointSets sets(4);
  sets.join(0, 1);
  EXPECT_EQ(sets.representative(0), 1U);
  sets.join(1, 2);
  sets.join(3, 0);
  EXPECT_EQ(sets.representative(3), 2U);
  sets.join(2, 1);
  EXPECT_EQ(sets.representative(0), 2U) << "joined already";
}

}  // namespace
}  // namespace espalier
