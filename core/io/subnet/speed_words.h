// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What OpenSM, ibdm and libibmad call the signalling rates of links: Gbit/s of a single lane of the cable, rounded or not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/number.h"
#include "core/fabric/link_rate.h"

namespace espalier::io {

struct SpeedWords {
  LinkSpeed speed;
  std::string_view opensm;    // opensm-subnet.lst, and .topo files, which know no FDR10
  std::string_view libibmad;  // iblinkinfo
};
inline constexpr std::array<SpeedWords, 9> kSpeedWords{{{LinkSpeed::kSdr, "2.5", "2.5"},
                                                        {LinkSpeed::kDdr, "5", "5.0"},
                                                        {LinkSpeed::kQdr, "10", "10.0"},
                                                        {LinkSpeed::kFdr10, "FDR10", "10.3125"},
                                                        {LinkSpeed::kFdr, "14", "14.0625"},
                                                        {LinkSpeed::kEdr, "25", "25.78125"},
                                                        {LinkSpeed::kHdr, "50", "53.125"},
                                                        {LinkSpeed::kNdr, "100", "106.25"},
                                                        {LinkSpeed::kXdr, "200", "212.5"}}};

// kUnknown where the tool has no such word.
[[nodiscard]] inline LinkSpeed speed_called(std::string_view word, std::string_view SpeedWords::*tool) {
  for (const SpeedWords& known : kSpeedWords)
    if (known.*tool == word) return known.speed;
  return LinkSpeed::kUnknown;
}

// Width as digits. Unknown where either is.
[[nodiscard]] inline LinkRate rate_of(std::string_view width, LinkSpeed speed) {
  const auto lanes = parse_number<std::uint8_t>(width, 1, 12);
  return lanes && speed != LinkSpeed::kUnknown ? LinkRate{*lanes, speed} : LinkRate{};
}

}  // namespace espalier::io
