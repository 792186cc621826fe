// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/lanes.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(ServiceLevels, TellsWhichAreUsedWhereverTheyAre) {
  constexpr std::size_t kSources = 3;
  constexpr std::size_t kDestinations = 131;
  for (const std::size_t place : {0, 1, 63, 64, 127, 128, 391, 392}) {
    ServiceLevels levels(Lid{200}, kSources, kDestinations);
    EXPECT_EQ(levels.used(), 1U);
    const auto set = [&](std::size_t at, std::uint8_t sl) {
      levels.set(static_cast<std::uint32_t>(at / kDestinations), static_cast<std::uint32_t>(at % kDestinations), sl);
    };
    set(place, 15);
    EXPECT_EQ(levels.used(), 1U | 1U << 15U);
    for (std::size_t at = 0; at < 20; ++at) set(at + 70, static_cast<std::uint8_t>(at % 4));
    set(place, 3);
    EXPECT_EQ(levels.used(), 0xFU);
    set(place, 4);
    EXPECT_EQ(levels.used(), 0x1FU);
  }
  EXPECT_EQ(ServiceLevels().used(), 1U);
}

}  // namespace
}  // namespace espalier
