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

  // Signalling rate over the whole width in Mbit/s; 0 when unknown.
  [[nodiscard]] std::uint32_t mbps() const;
  // "4xQDR", or "" when unknown.
  [[nodiscard]] std::string text() const;
  // The reverse of text(); also "2xNDR". Empty when it is no such word.
  [[nodiscard]] static std::optional<LinkRate> parse(std::string_view word);
};

}  // namespace espalier
