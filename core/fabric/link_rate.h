// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Width and signalling rate of a link, in the notation of ibnetdiscover ("4xQDR").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace espalier {

enum class LinkSpeed : std::uint8_t { kUnknown, kSdr, kDdr, kQdr, kFdr10, kFdr, kEdr, kHdr, kNdr, kXdr };

struct LinkRate {
  std::uint8_t width = 0;  // 1, 2, 4, 8, 12; 0 = unknown
  LinkSpeed speed = LinkSpeed::kUnknown;

  bool operator==(const LinkRate&) const = default;

  // From what a port tells in PortInfo (InfiniBand Architecture Specification, volume 1, 14.2.5.6): LinkWidthActive,
  // and three generations of speeds, of which the newest counts: LinkSpeedActive, FDR10 in a record of Mellanox's own,
  // LinkSpeedExtActive (0 where the port has none).
  [[nodiscard]] static constexpr std::uint8_t width_of(unsigned active);
  [[nodiscard]] static constexpr LinkSpeed speed_of(unsigned active, bool is_fdr10, unsigned extended);

  // Signalling rate over the whole width in Mbit/s; 0 when unknown.
  [[nodiscard]] std::uint32_t mbps() const;
  // "4xQDR", or "" when unknown.
  [[nodiscard]] std::string text() const;
  // The reverse of text(); also "2xNDR". Empty when it is no such word.
  [[nodiscard]] static std::optional<LinkRate> parse(std::string_view word);
};

constexpr std::uint8_t LinkRate::width_of(unsigned active) {
  switch (active) {
    case 1:
      return 1;
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 0;
  }
}

constexpr LinkSpeed LinkRate::speed_of(unsigned active, bool is_fdr10, unsigned extended) {
  switch (extended) {
    case 1:
      return LinkSpeed::kFdr;
    case 2:
      return LinkSpeed::kEdr;
    case 4:
      return LinkSpeed::kHdr;
    case 8:
      return LinkSpeed::kNdr;
    default:
      break;
  }
  if (is_fdr10) return LinkSpeed::kFdr10;
  switch (active) {
    case 1:
      return LinkSpeed::kSdr;
    case 2:
      return LinkSpeed::kDdr;
    case 4:
      return LinkSpeed::kQdr;
    default:
      return LinkSpeed::kUnknown;
  }
}

}  // namespace espalier
