// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/phase_spines.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace espalier {
namespace {

// Whether the flows from this one on have spines on links that nobody has taken: all ways are tried.
bool has_spines(const LeafSpine& tree, const std::vector<LeafPair>& flows, std::vector<std::uint8_t>& taken,
                std::size_t flow = 0) {
  if (flow == flows.size()) return true;
  const auto [from, to] = flows[flow];
  for (std::size_t s = 0; s < tree.num_spines; ++s) {
    std::uint8_t& up = taken[from * tree.num_spines + s];
    std::uint8_t& down = taken[(tree.num_leaves() + to) * tree.num_spines + s];
    if (!tree.joined(from, s) || !tree.joined(to, s) || up != 0 || down != 0) continue;
    up = down = 1;
    const bool rest = has_spines(tree, flows, taken, flow + 1);
    up = down = 0;
    if (rest) return true;
  }
  return false;
}

void expect_own_links(const LeafSpine& tree, const std::vector<LeafPair>& flows,
                      const std::vector<std::uint32_t>& spines) {
  ASSERT_EQ(spines.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_TRUE(tree.joined(flows[i].from, spines[i]) && tree.joined(flows[i].to, spines[i]));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(spines[i] == spines[k] && (flows[i].from == flows[k].from || flows[i].to == flows[k].to));
  }
}

TEST(PhaseSpines, AreFoundExactlyWhereThereAreSome) {
  std::size_t by_exchange = 0, by_solver = 0, none = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    LeafSpine tree({3, 3, 3, 3, 3}, 3);
    for (std::size_t cuts = random() % 7; cuts > 0; --cuts) tree.cut(random() % 5, random() % 3);
    std::vector<LeafPair> flows;
    for (std::uint32_t from = 0; from < 5; ++from)
      for (std::size_t n = random() % 4; n > 0; --n)
        flows.push_back({from, static_cast<std::uint32_t>((from + 1 + random() % 4) % 5)});
    std::vector<std::uint8_t> taken(2 * tree.num_leaves() * tree.num_spines);
    const auto spines = phase_spines(tree, flows);
    ASSERT_EQ(spines.has_value(), has_spines(tree, flows, taken)) << "seed " << seed;
    if (spines) expect_own_links(tree, flows, *spines);
    const auto fast = spines_by_exchange(tree, flows);
    if (fast) expect_own_links(tree, flows, *fast);
    ++(fast ? by_exchange : spines ? by_solver : none);
  }
  EXPECT_GT(by_exchange, 20U);
  EXPECT_GT(by_solver, 5U);
  EXPECT_GT(none, 20U);
}

}  // namespace
}  // namespace espalier
