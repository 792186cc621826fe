// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hashes that are fixed by their definitions: the same on every machine and in every release.
#pragma once

#include <cstdint>
#include <string_view>

namespace espalier {

// The finalizer of splitmix64 (G. Steele, D. Lea, C. Flood 2014; constants by S. Vigna): a bijection without patterns.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// What splitmix64 adds to its state from draw to draw: 2^64 over the golden ratio.
inline constexpr std::uint64_t kSplitmix64Step = 0x9E3779B97F4A7C15U;

// A well-mixed function of both. Chain calls for more than two: random numbers that need no order, each computed from
// what it is for.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return splitmix64(a * kSplitmix64Step + b + kSplitmix64Step);
}

// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo). `seed` 0: the published function.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed = 0) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ seed;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

}  // namespace espalier
