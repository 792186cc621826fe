// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// M. Garcia et al., ICPP 2013, III-B: what table I promises.
#include "core/dragonfly/parity_sign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace espalier {
namespace {

using Hop = std::pair<unsigned, unsigned>;

// `allowed`: turn_allowed, or the rule of another order.
template <class Rule>
std::vector<unsigned> between(unsigned n, unsigned i, unsigned j, const Rule& allowed) {
  std::vector<unsigned> routers;
  for (unsigned k = 0; k < n; ++k)
    if (i != j && k != i && k != j && allowed(i, k, j)) routers.push_back(k);
  return routers;
}

struct Counts {
  std::size_t least = ~std::size_t{0};
  std::size_t most = 0;
  double mean = 0;
};
template <class Rule>
Counts count(unsigned n, const Rule& allowed) {
  Counts counts;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      if (i == j) continue;
      const std::size_t routers = between(n, i, j, allowed).size();
      counts.least = std::min(counts.least, routers);
      counts.most = std::max(counts.most, routers);
      counts.mean += static_cast<double>(routers) / (n * (n - 1));
    }
  return counts;
}

// Takes away hops that no remaining hop leads to, until none does.
template <class Rule>
bool has_circle(unsigned n, const Rule& allowed) {
  std::set<Hop> hops;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      if (i != j) hops.insert({i, j});
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    for (auto hop = hops.begin(); hop != hops.end();) {
      const bool reached = std::any_of(hops.begin(), hops.end(), [&](const Hop& before) {
        return before.second == hop->first && before.first != hop->second &&
               allowed(before.first, hop->first, hop->second);
      });
      hop = reached ? std::next(hop) : hops.erase(hop);
      shrinks |= !reached;
    }
  }
  return !hops.empty();
}

TEST(ParitySign, LeavesAtLeastHalfTheRoutersMinusOneBetweenAnyTwo) {
  struct Row {
    unsigned h;
    std::size_t least, most;
    double mean;
  };
  for (const Row& row : {Row{2, 1, 2, 1.17}, Row{3, 2, 4, 2.33}, Row{4, 3, 6, 3.5}, Row{5, 4, 8, 4.67},
                         Row{8, 7, 14, 8.17}, Row{16, 15, 30, 17.5}}) {
    const Counts counts = count(2 * row.h, turn_allowed);
    EXPECT_EQ(counts.least, row.least) << row.h;
    EXPECT_EQ(counts.most, row.most) << row.h;
    EXPECT_NEAR(counts.mean, row.mean, 0.005) << row.h;
  }
}

TEST(ParitySign, ClosesNoCircleForAnySize) {
  for (unsigned h = 2; h <= 9; ++h) EXPECT_FALSE(has_circle(2 * h, turn_allowed)) << h;
  EXPECT_FALSE(has_circle(32, turn_allowed));
}

TEST(ParitySign, HasTheTableForFourGlobalPorts) {
  const std::vector<std::string> table{"1:3,5,7 2:1,4,6 3:2,5,7 4:1,2,3,6 5:2,4,7 6:1,2,3,4,5 7:2,4,6",
                                       "0:2,4,6 2:0,4,6 3:0,2,5,7 4:0,3,6 5:0,2,3,4,7 6:0,3,5 7:0,2,3,4,5,6",
                                       "0:1,4,6 1:3,5,7 3:1,5,7 4:1,3,6 5:1,4,7 6:1,3,4,5 7:1,4,6",
                                       "0:2,4,6 1:0,2,5,7 2:0,4,6 4:0,2,6 5:0,2,4,7 6:0,2,5 7:0,2,4,5,6",
                                       "0:1,2,3,6 1:3,5,7 2:1,3,6 3:1,5,7 5:1,3,7 6:1,3,5 7:1,3,6",
                                       "0:2,4,6 1:0,2,3,4,7 2:0,4,6 3:0,2,4,7 4:0,2,6 6:0,2,4 7:0,2,4,6",
                                       "0:1,2,3,4,5 1:3,5,7 2:1,3,4,5 3:1,5,7 4:1,3,5 5:1,3,7 7:1,3,5",
                                       "0:2,4,6 1:0,2,3,4,5,6 2:0,4,6 3:0,2,4,5,6 4:0,2,6 5:0,2,4,6 6:0,2,4"};
  for (unsigned i = 0; i < 8; ++i) {
    std::string row;
    for (unsigned j = 0; j < 8; ++j) {
      if (i == j) continue;
      row += (row.empty() ? "" : " ") + std::to_string(j) + ":";
      for (const unsigned k : between(8, i, j, turn_allowed)) row += (row.back() == ':' ? "" : ",") + std::to_string(k);
    }
    EXPECT_EQ(row, table[i]);
  }
}

TEST(ParitySign, DependsOnTheOrderOfTypes) {
  std::array<unsigned, 4> place{0, 1, 2, 3};  // of each type
  const auto allowed = [&](unsigned i, unsigned k, unsigned j) {
    return place[hop_type(i, k)] <= place[hop_type(k, j)];
  };
  std::size_t good = 0;
  do {
    EXPECT_FALSE(has_circle(8, allowed));
    const std::size_t least = count(8, allowed).least;
    good += least == 3;
    if (least != 3) {
      EXPECT_LE(least, 1U);
    }
  } while (std::next_permutation(place.begin(), place.end()));
  EXPECT_EQ(good, 8U);
}

}  // namespace
}  // namespace espalier
