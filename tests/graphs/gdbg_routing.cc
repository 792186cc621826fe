// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/graphs/gdbg_routing.h"

namespace espalier {
namespace {

// a b mod n without overflow.
std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % n);
}

std::uint64_t power(std::uint64_t r, std::uint32_t h) {
  std::uint64_t value = 1;
  while (h-- > 0) value *= r;
  return value;
}

// The least y of a walk of h arcs from u to d.
std::uint64_t first_number(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h) {
  return (d + g.n - times(u, power(g.r, h) % g.n, g.n)) % g.n;
}

}  // namespace

std::uint64_t gdbg_walks(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h) {
  const std::uint64_t y = first_number(g, u, d, h);
  const std::uint64_t numbers = power(g.r, h);
  return y < numbers ? (numbers - 1 - y) / g.n + 1 : 0;
}

std::optional<std::uint64_t> gdbg_next_hop(RegularGraph g, std::uint64_t u, std::uint64_t d, std::uint32_t h,
                                           std::uint64_t i) {
  if (i >= gdbg_walks(g, u, d, h)) return std::nullopt;
  const std::uint64_t y = first_number(g, u, d, h) + i * g.n;
  return (times(u, g.r, g.n) + y / power(g.r, h - 1)) % g.n;
}

}  // namespace espalier
