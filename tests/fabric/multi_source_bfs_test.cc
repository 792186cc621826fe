// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/multi_source_bfs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric/faults.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

constexpr std::uint32_t kUnreached = 1'000'000;

// Hops between all switches by Floyd and Warshall's algorithm.
std::vector<std::vector<std::uint32_t>> hops_between_all(const Fabric& fabric) {
  const std::size_t n = fabric.num_switches();
  std::vector<std::vector<std::uint32_t>> hops(n, std::vector<std::uint32_t>(n, kUnreached));
  for (const SwitchId s : fabric.switches()) {
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
      if (const Peer& peer = fabric.peer(s, id_at<PortNum>(p)); peer.is_switch())
        hops[index(s)][index(peer.as_switch())] = 1;
    hops[index(s)][index(s)] = 0;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) hops[i][j] = std::min(hops[i][j], hops[i][k] + hops[k][j]);
  return hops;
}

class MultiSourceBfsTest : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// Whole, and without so many links that there are several parts.
TEST_P(MultiSourceBfsTest, comes_to_every_switch_at_its_distance) {
  const Fabric whole = test::generated(GetParam().first, GetParam().second);
  for (const std::size_t lost : {std::size_t{0}, whole.num_switch_links() * 4 / 5}) {
    const Fabric fabric = degrade(whole, {.links = lost, .seed = 17}).value();
    const auto expected = hops_between_all(fabric);
    auto found = expected;
    for (auto& row : found) std::fill(row.begin(), row.end(), kUnreached);
    std::mutex mutex;
    search_from_all(SwitchNeighbors(fabric), [&](MultiSourceBfs& searches, SwitchId first, std::size_t count) {
      const std::lock_guard lock(mutex);
      for (searches.start(first, count); !searches.front().empty(); searches.advance())
        for (const SwitchId s : searches.front())
          for (std::size_t i = 0; i < count; ++i)
            if ((searches.arrived(s) >> i & 1) != 0) {
              std::uint32_t& hops = found[index(first) + i][index(s)];
              EXPECT_EQ(hops, kUnreached) << "a search comes to each switch once";
              hops = searches.distance();
            }
      for (const SwitchId s : fabric.switches())
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ((searches.reached(s) >> i & 1) != 0, expected[index(first) + i][index(s)] < kUnreached);
    });
    EXPECT_EQ(found, expected) << lost;
  }
}

// From less than one batch to several.
INSTANTIATE_TEST_SUITE_P(Fabrics, MultiSourceBfsTest,
                         ::testing::Values(std::pair("torus", "4,4"), std::pair("kary", "4,3"),
                                           std::pair("jellyfish", "64,7,2"), std::pair("jellyfish", "150,8,2")),
                         [](const auto& kind) { return kind.param.first + std::to_string(kind.index); });

}  // namespace
}  // namespace espalier
