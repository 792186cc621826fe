// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/regular_graphs.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/text.h"

namespace espalier {
namespace {

bool is_prime(std::uint32_t q) {
  for (std::uint32_t d = 2; d * d <= q; ++d)
    if (q % d == 0) return false;
  return q > 1;
}

// xi^0 .. xi^(q-2) of the smallest xi whose powers are all numbers but 0. REQUIRES: q is prime.
std::vector<std::uint32_t> powers_of_primitive_root(std::uint32_t q) {
  for (std::uint32_t xi = 2;; ++xi) {
    std::vector<std::uint32_t> powers{1};
    while (powers.back() * xi % q != 1) powers.push_back(powers.back() * xi % q);
    if (powers.size() == q - 1) return powers;
  }
}

// visit(node, its coordinate, distance between values of it) for each node and dimension.
template <class Visit>
void for_each_coordinate(const std::vector<unsigned>& sizes, Visit visit) {
  const std::uint32_t n = std::accumulate(sizes.begin(), sizes.end(), 1U, std::multiplies<>());
  std::uint32_t stride = n;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    stride /= sizes[d];
    for (std::uint32_t i = 0; i < n; ++i) visit(i, d, i / stride % sizes[d], stride);
  }
}

}  // namespace

Result<std::vector<Arc>> de_bruijn_graph(std::uint32_t n, std::uint32_t r) {
  if (r > n) return fail(fmt::format("{} of each node would lead to only {}", counted(r, "arc"), counted(n, "node")));
  std::vector<Arc> arcs;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t c = 0; c < r; ++c)
      arcs.emplace_back(i, static_cast<std::uint32_t>((std::uint64_t{i} * r + c) % n));
  return arcs;
}

Result<std::vector<Arc>> kautz_graph(std::uint32_t d, std::uint32_t diameter) {
  std::uint64_t n = d + 1;
  for (std::uint32_t i = 1; i < diameter && n <= kMaxListedNumber; ++i) n *= d;
  if (n > kMaxListedNumber) return fail(fmt::format("more than {} switches", kMaxListedNumber));
  std::vector<Arc> arcs;
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t c = 1; c <= d; ++c)
      arcs.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((n * (d + 1) - i * d - c) % n));
  return arcs;
}

Result<std::vector<Arc>> slim_fly_graph(std::uint32_t q) {
  if (q % 2 == 0 || !is_prime(q) || q > 181) return fail(fmt::format("q must be an odd prime up to 181, not {}", q));
  const std::vector<std::uint32_t> xi = powers_of_primitive_root(q);
  std::vector<std::uint8_t> joined[2];  // per side: whether nodes of this difference are
  for (auto& differences : joined) differences.assign(q, 0);
  if (q % 4 == 1) {
    for (std::uint32_t i = 0; i < q - 1; ++i) joined[i % 2][xi[i]] = 1;
  } else {
    const std::uint32_t w = (q + 1) / 4;
    for (std::uint32_t i = 0; i < w; ++i) {
      joined[0][xi[2 * i]] = joined[0][xi[2 * w - 1 + 2 * i]] = 1;
      joined[1][xi[2 * i + 1]] = joined[1][xi[(2 * w + 2 * i) % (q - 1)]] = 1;
    }
  }
  std::vector<Arc> edges;
  for (std::uint32_t side = 0; side < 2; ++side)
    for (std::uint32_t x = 0; x < q; ++x)
      for (std::uint32_t y = 0; y < q; ++y)
        for (std::uint32_t z = y + 1; z < q; ++z)
          if (joined[side][z - y] != 0) edges.emplace_back((side * q + x) * q + y, (side * q + x) * q + z);
  for (std::uint32_t x = 0; x < q; ++x)
    for (std::uint32_t m = 0; m < q; ++m)
      for (std::uint32_t c = 0; c < q; ++c) edges.emplace_back(x * q + (m * x + c) % q, (q + m) * q + c);
  return edges;
}

std::vector<Arc> torus_graph(const std::vector<unsigned>& sizes) {
  std::vector<Arc> edges;
  for_each_coordinate(sizes, [&](std::uint32_t i, std::size_t d, std::uint32_t x, std::uint32_t stride) {
    if (x + 1 < sizes[d])
      edges.emplace_back(i, i + stride);
    else if (sizes[d] > 2)
      edges.emplace_back(i - x * stride, i);
  });
  return edges;
}

std::vector<Arc> hyperx_graph(const std::vector<unsigned>& sizes, const std::vector<unsigned>& widths) {
  std::vector<Arc> edges;
  for_each_coordinate(sizes, [&](std::uint32_t i, std::size_t d, std::uint32_t x, std::uint32_t stride) {
    for (std::uint32_t y = x + 1; y < sizes[d]; ++y) edges.insert(edges.end(), widths[d], {i, i + (y - x) * stride});
  });
  return edges;
}

}  // namespace espalier
