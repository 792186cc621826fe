// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/codewords.h"

#include <gtest/gtest.h>

#include <set>

namespace espalier {
namespace {

TEST(Codewords, ServeAnyThreeGroupsUpTo35) {
  for (std::size_t n = 2; n <= 35; ++n) {
    const Codewords words = make_codewords(n);
    ASSERT_EQ(words.of_group.size(), n);
    EXPECT_LE(words.num_sls, 16U);
    for (std::size_t source = 0; source < n; ++source)
      for (std::size_t middle = 0; middle < n; ++middle)
        for (std::size_t to = 0; to < n; ++to) {
          if (to == source || to == middle) continue;
          ASSERT_NE(words.sls(source, middle, to), 0) << source << " " << middle << " " << to << " of " << n;
        }
  }
}

TEST(Codewords, NeedFewSlsForFewGroups) {
  EXPECT_EQ(make_codewords(7).num_sls, 8U);
  EXPECT_EQ(make_codewords(9).num_sls, 10U);
  EXPECT_EQ(make_codewords(12).num_sls, 10U);
  EXPECT_EQ(make_codewords(17).num_sls, 13U);  // 12, and SL 0
  EXPECT_EQ(make_codewords(26).num_sls, 14U);
  EXPECT_EQ(make_codewords(35).num_sls, 16U);
}

TEST(Codewords, ServeMostWaysOf129Groups) {
  const std::size_t n = 129;
  const Codewords words = make_codewords(n);
  EXPECT_EQ(words.num_sls, 16U);
  std::size_t served = 0;
  std::size_t paths = 0;
  for (std::size_t source = 0; source < n; ++source)
    for (std::size_t middle = 0; middle < n; ++middle)
      for (std::size_t to = 0; to < n; ++to) {
        if (source == middle || middle == to || source == to) continue;
        ++paths;
        served += words.sls(source, middle, to) != 0;
      }
  EXPECT_GT(static_cast<double>(served) / static_cast<double>(paths), 0.9);
}

TEST(Antichain, HasNoSetWithinAnother) {
  for (const std::size_t n : {1U, 2U, 9U, 19U, 33U, 129U, 252U}) {
    const Antichain words = make_antichain(n);
    EXPECT_LE(words.num_elements, 10U);
    std::set<std::uint16_t> different(words.of_group.begin(), words.of_group.end());
    EXPECT_EQ(different.size(), n);
    for (const std::uint16_t a : words.of_group)
      for (const std::uint16_t b : words.of_group) {
        if (a == b) continue;
        ASSERT_NE(a & ~b, 0);
      }
  }
}

}  // namespace
}  // namespace espalier
