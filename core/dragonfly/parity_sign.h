// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which paths of two hops inside a group of routers that are all cabled to each other may be taken on one lane: the
// parity-sign rule of RLM (M. Garcia et al., "Efficient routing mechanisms for dragonfly networks", ICPP 2013, III-B
// and table I).
//
// A hop i -> j is odd if just one of i and j is odd, else even; it is + if i < j, else -. The four types have an order,
//
//     odd-  <  even+  <  odd+  <  even-
//
// and i -> k -> j is allowed where the type of i -> k is not above that of k -> j: table I is exactly that. So along
// any chain of allowed hops types never fall, and within one type the sign is one, so numbers only rise or only fall:
// no cycle. Any ordered pair of n = 2h routers keeps at least h - 1 of the 2h - 2 routers between (with table I's
// order; of the 24 orders only 8 do).
#pragma once

#include <cstdint>

namespace espalier {

// The place of the type of i -> j in that order, 0 to 3.
[[nodiscard]] constexpr unsigned hop_type(std::uint32_t i, std::uint32_t j) {
  const bool odd = ((i ^ j) & 1U) != 0;
  if (i < j) return odd ? 2 : 1;
  return odd ? 0 : 3;
}

// REQUIRES: i != k, k != j.
[[nodiscard]] constexpr bool turn_allowed(std::uint32_t i, std::uint32_t k, std::uint32_t j) {
  return hop_type(i, k) <= hop_type(k, j);
}

}  // namespace espalier
