// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/schedule/published_algorithms.h"

#include <algorithm>
#include <numeric>

namespace espalier::test {
namespace {

std::uint32_t ceil_divide(std::uint32_t n, std::uint32_t d) { return (n + d - 1) / d; }

}  // namespace

PhaseList published_bandwidth_optimal(std::uint32_t m0, std::uint32_t m1) {
  const std::uint32_t servers = m0 * m1;
  PhaseList schedule(servers);
  for (std::uint32_t p = 0; p < servers; ++p)
    for (std::uint32_t s = 0; s < servers; ++s) {
      // Lines 15 to 25 with kPerm = [2, 1]: k = 0 takes the factor M1 and the modulus M[1], k = 1 the factor 1 and
      // M[0].
      const std::uint32_t alpha0 = (s / m1 + p / m1) % m1;
      const std::uint32_t alpha1 = (s + p) % m0;
      schedule[p].emplace_back(s, alpha0 + alpha1 * m0);
    }
  return schedule;
}

std::uint64_t published_duration(const PhaseList& schedule, const std::vector<std::uint32_t>& bandwidth,
                                 std::uint32_t m0) {
  std::uint64_t duration = 0;
  for (const auto& phase : schedule) {
    std::uint32_t longest = 0;
    std::vector<std::uint32_t> from(bandwidth.size(), 0);
    std::vector<std::uint32_t> to(bandwidth.size(), 0);
    for (const auto& [s, d] : phase) {
      if (s / m0 == d / m0) continue;
      longest = 1;  // line 17
      ++from[s / m0];
      ++to[d / m0];
    }
    for (std::size_t leaf = 0; leaf < bandwidth.size(); ++leaf)  // lines 19 to 25, with their floors
      longest = std::max({longest, from[leaf] / bandwidth[leaf], to[leaf] / bandwidth[leaf]});
    duration += longest;
  }
  return duration;
}

PhaseList published_fault_adaptive(std::uint32_t m0, std::uint32_t m1, std::uint32_t f) {
  const std::uint32_t servers = m0 * m1;
  // Algorithm 4.
  std::vector<std::uint32_t> even(servers);
  for (std::uint32_t i = 0; i < even.size(); ++i) even[i] = ceil_divide(i * m0, m0 - f);
  std::vector<std::uint32_t> theta(m0);
  for (std::int64_t a = 0; a < m0; ++a) {
    const std::int64_t n = (a - 1) * (m0 - f);
    theta[static_cast<std::size_t>(a)] = static_cast<std::uint32_t>((n < 0 ? -1 : n / m0) + 1);  // floor of -(m0-f)/m0
  }
  const std::uint32_t phases = ceil_divide((servers - m0) * m0, m0 - f);
  std::vector<std::vector<bool>> transmits(m0, std::vector<bool>(phases + 2 * m0, false));
  for (std::uint32_t a = 0; a < m0; ++a)
    for (std::uint32_t i = 0; i < servers - m0; ++i)
      if (even[i + theta[a]] >= a && even[i + theta[a]] - a < transmits[a].size())
        transmits[a][even[i + theta[a]] - a] = true;
  // Algorithm 5.
  const std::uint32_t cycle = std::lcm(m1 - 1, m0);
  std::vector<std::uint32_t> sent(servers, 0);
  PhaseList schedule(phases);
  for (std::uint32_t p = 0; p < phases; ++p)
    for (std::uint32_t s = 0; s < servers; ++s) {
      const std::uint32_t a = s % m0;
      if (!transmits[a][p] || sent[s] >= servers - m0) continue;
      const std::uint32_t n = sent[s] + theta[a];
      const std::uint32_t shift = n % (m1 - 1) * m0 + (n + sent[s] / cycle) % m0;  // lines 21 to 24
      ++sent[s];
      schedule[p].emplace_back(s, (s - a + m0 + shift) % servers);
    }
  return schedule;
}

std::vector<std::vector<std::uint32_t>> published_spines(const PhaseList& schedule, std::uint32_t m0,
                                                         const std::vector<std::uint32_t>& whole_spines) {
  std::vector<std::vector<std::uint32_t>> spines;
  for (const auto& phase : schedule) {
    auto& of_phase = spines.emplace_back();
    std::size_t i = 0;
    for (const auto& [s, d] : phase) {
      if (s / m0 == d / m0) {
        of_phase.push_back(~std::uint32_t{0});
        continue;
      }
      of_phase.push_back(whole_spines[i]);
      i = (i + 1) % whole_spines.size();
    }
  }
  return spines;
}

}  // namespace espalier::test
