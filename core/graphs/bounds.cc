// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/bounds.h"

#include <cmath>

namespace espalier {
namespace {

double power(RegularGraph g, std::uint32_t exponent) { return std::pow(static_cast<double>(g.r), exponent); }
double pairs_of_a_node(RegularGraph g) { return static_cast<double>(g.n - 1); }

}  // namespace

std::uint32_t least_diameter(RegularGraph g) {
  std::uint32_t d = 0;
  for (std::uint64_t reach = 1, layer = 1; reach < g.n; ++d) {
    layer *= g.r;
    reach += layer;
  }
  return d;
}

double least_mean_distance(RegularGraph g, std::uint64_t k) {
  // r^j paths of length j, as many as are needed.
  const double wanted = static_cast<double>(k) * pairs_of_a_node(g);
  double left = wanted;
  double length = 0;
  std::uint32_t j = 1;
  for (; power(g, j) <= left; ++j) {
    length += j * power(g, j);
    left -= power(g, j);
  }
  return (length + j * left) / wanted;
}

std::uint64_t most_paths_of_every_pair(RegularGraph g, std::uint32_t h) {
  double paths = 0;
  for (std::uint32_t j = 1; j <= h; ++j) paths += power(g, j);
  return static_cast<std::uint64_t>(paths / pairs_of_a_node(g));
}

double least_max_load(RegularGraph g) {
  return least_mean_distance(g, 1) * pairs_of_a_node(g) / static_cast<double>(g.r);
}

std::uint32_t gdbg_diameter(RegularGraph g) {
  std::uint32_t d = 0;
  for (std::uint64_t reach = 1; reach < g.n; reach *= g.r) ++d;
  return d;
}

double gdbg_mean_distance(RegularGraph g, std::uint64_t k) {
  const double wanted = static_cast<double>(k) * static_cast<double>(g.n);
  std::uint32_t h = 0;
  while (power(g, h) < wanted) ++h;
  const double r1 = static_cast<double>(g.r - 1);
  return least_mean_distance(g, k) + h * (power(g, h) - 1) / (r1 * r1 * static_cast<double>(k) * pairs_of_a_node(g));
}

std::uint64_t gdbg_least_walks(RegularGraph g) {
  return static_cast<std::uint64_t>(power(g, gdbg_diameter(g)) / static_cast<double>(g.n));
}

double gdbg_max_load(RegularGraph g) {
  double steps = 0;
  for (std::uint32_t i = 1; i <= gdbg_diameter(g); ++i) steps += i * power(g, i - 1);
  return steps / static_cast<double>(gdbg_least_walks(g));
}

double gdbg_max_load_estimate(RegularGraph g) {
  return gdbg_diameter(g) * static_cast<double>(g.n) / static_cast<double>(g.r - 1);
}

}  // namespace espalier
