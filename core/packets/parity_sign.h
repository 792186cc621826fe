// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The parity-sign rule of RLM: which two local hops may follow each other on one virtual channel (Garcia et al. 2013,
// III-B, table I).
//
// A hop i -> j is odd if one of i, j is odd, else even; + if i < j, else -. In the order odd-, even+, odd+, even- a hop
// may be followed by one of its own type or of a later one. No circle: types never fall, and within a type numbers only
// rise or only fall.
#pragma once

#include <cstdint>

namespace espalier::packets {

[[nodiscard]] constexpr std::uint32_t hop_rank(std::uint32_t from, std::uint32_t to) {
  const bool odd = ((from ^ to) & 1U) != 0;
  if (from < to) return odd ? 2 : 1;
  return odd ? 0 : 3;
}

// REQUIRES: i != k, k != j.
[[nodiscard]] constexpr bool turn_allowed(std::uint32_t i, std::uint32_t k, std::uint32_t j) {
  return hop_rank(i, k) <= hop_rank(k, j);
}

}  // namespace espalier::packets
