// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/simulator/fill_levels.h"

#include <gtest/gtest.h>

#include "core/packets/random.h"

namespace espalier::packets {
namespace {

constexpr std::uint32_t kPorts = 20;  // the upper half global
constexpr std::uint32_t kRows = 3;
constexpr std::array<FillLevels::Kind, 2> kKinds = {FillLevels::Kind{4, 1.0F / 4}, FillLevels::Kind{32, 1.0F / 32}};

constexpr std::size_t kind_of(std::uint32_t port) { return port < kPorts / 2 ? 0 : 1; }
constexpr BitWord kLocal = bit_of(kPorts / 2) - 1;
constexpr BitWord kGlobal = (bit_of(kPorts) - 1) & ~kLocal;

TEST(FillLevels, TellWhatComparingEachQueueTells) {
  constexpr float kShare = 0.45F;
  FillLevels levels;
  levels.resize(2, kRows, kKinds, kShare);
  std::array<std::array<std::uint32_t, kPorts>, kRows> units = {};
  Random random(1001);
  std::uint64_t found = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t row = random.below(kRows);
    const std::uint32_t port = random.below(kPorts);
    std::uint32_t& queue = units[row][port];
    if (queue == 0 || (queue < kKinds[kind_of(port)].capacity && random.below(2) == 0))
      levels.filled(1, row, port, ++queue);
    else
      levels.drained(1, row, port, --queue);
    const std::uint32_t by = random.below(kPorts);
    const float limit = static_cast<float>(units[row][by]) * kKinds[kind_of(by)].scale * kShare;
    BitWord below = 0;
    for (std::uint32_t other = 0; other < kPorts; ++other)
      if (static_cast<float>(units[row][other]) * kKinds[kind_of(other)].scale < limit) below |= bit_of(other);
    const auto& limits = levels.limits(kind_of(by) == 0 ? PortClass::kLocal : PortClass::kGlobal, units[row][by]);
    ASSERT_EQ((levels.less_than(1, limits[0])[row] & kLocal) | (levels.less_than(1, limits[1])[row] & kGlobal), below)
        << "step " << step;
    found += static_cast<std::uint64_t>(std::popcount(below));
  }
  EXPECT_GT(found, 20000U);
}

}  // namespace
}  // namespace espalier::packets
