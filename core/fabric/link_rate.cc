// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/link_rate.h"

#include <fmt/format.h>

#include <array>

#include "core/base/number.h"

namespace espalier {
namespace {

struct SpeedName {
  LinkSpeed speed;
  std::string_view name;
  std::uint32_t lane_mbps;
};

constexpr std::array<SpeedName, 9> kSpeeds{{{LinkSpeed::kSdr, "SDR", 2500},
                                            {LinkSpeed::kDdr, "DDR", 5000},
                                            {LinkSpeed::kQdr, "QDR", 10000},
                                            {LinkSpeed::kFdr10, "FDR10", 10312},
                                            {LinkSpeed::kFdr, "FDR", 14062},
                                            {LinkSpeed::kEdr, "EDR", 25781},
                                            {LinkSpeed::kHdr, "HDR", 53125},
                                            {LinkSpeed::kNdr, "NDR", 106250},
                                            {LinkSpeed::kXdr, "XDR", 212500}}};

}  // namespace

std::uint32_t LinkRate::mbps() const {
  for (const SpeedName& known : kSpeeds)
    if (known.speed == speed) return known.lane_mbps * width;
  return 0;
}

std::string LinkRate::text() const {
  for (const SpeedName& known : kSpeeds)
    if (known.speed == speed) return fmt::format("{}x{}", width, known.name);
  return {};
}

std::optional<LinkRate> LinkRate::parse(std::string_view word) {
  const std::size_t times = std::min(word.find('x'), word.size());
  const std::optional<unsigned> width = parse_number(word.substr(0, times), 1U, 12U);
  if (!width || times == word.size()) return std::nullopt;
  for (const SpeedName& known : kSpeeds)
    if (known.name == word.substr(times + 1)) return LinkRate{static_cast<std::uint8_t>(*width), known.speed};
  return std::nullopt;
}

}  // namespace espalier
