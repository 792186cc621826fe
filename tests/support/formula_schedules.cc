// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/formula_schedules.h"

#include <algorithm>

#include "core/schedule/combinatorics/equitable_coloring.h"

namespace espalier {
namespace {

std::uint32_t ceil_divide(std::uint32_t n, std::uint32_t d) { return (n + d - 1) / d; }

// Which leaf each server sends to in each phase, as (from, to) per phase: the part of Algorithms 4 and 5 that holds.
std::vector<std::vector<ServerPair>> leaf_meetings(std::uint32_t servers, std::uint32_t leaves, std::uint32_t f) {
  const std::uint32_t flows = servers * (leaves - 1);  // of a server
  std::vector<std::vector<ServerPair>> meetings(ceil_divide(flows * servers, servers - f));
  for (std::uint32_t alpha = 0; alpha < servers; ++alpha) {
    const std::uint32_t first_index = alpha == 0 ? 0 : (alpha - 1) * (servers - f) / servers + 1;
    for (std::uint32_t i = 0; i < flows; ++i) {
      const std::uint32_t n = i + first_index;
      const std::uint32_t even_phase = ceil_divide(n * servers, servers - f);
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
        meetings[even_phase - alpha].emplace_back(leaf, (leaf + 1 + n % (leaves - 1)) % leaves);
    }
  }
  return meetings;
}

// Adds each leaf's own pairs where it rests: as many as it neither sends nor receives otherwise.
void add_local_meetings(std::uint32_t servers, std::uint32_t leaves, std::vector<std::vector<ServerPair>>& meetings) {
  std::vector<std::uint32_t> left(leaves, servers * servers);
  for (std::size_t phase = 0; std::any_of(left.begin(), left.end(), [](auto n) { return n > 0; }); ++phase) {
    if (phase == meetings.size()) meetings.emplace_back();
    std::vector<std::uint32_t> sends(leaves, 0);
    std::vector<std::uint32_t> receives(leaves, 0);
    for (const auto& [from, to] : meetings[phase]) {
      ++sends[from];
      ++receives[to];
    }
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      for (std::uint32_t n = std::max(sends[leaf], receives[leaf]); n < servers && left[leaf] > 0; ++n, --left[leaf])
        meetings[phase].emplace_back(leaf, leaf);
  }
}

}  // namespace

PhaseList linear_shift(std::uint32_t num_servers) {
  PhaseList phases(num_servers);
  for (std::uint32_t p = 0; p < num_servers; ++p)
    for (std::uint32_t s = 0; s < num_servers; ++s) phases[p].emplace_back(s, (s + p) % num_servers);
  return phases;
}

PhaseList bandwidth_optimal(std::uint32_t servers, std::uint32_t leaves) {
  PhaseList phases(servers * leaves);
  for (std::uint32_t p = 0; p < phases.size(); ++p)
    for (std::uint32_t s = 0; s < phases.size(); ++s)
      phases[p].emplace_back(s, (s + p) % leaves * servers + (s / leaves + p / leaves) % servers);
  return phases;
}

PhaseList fault_adaptive(std::uint32_t servers, std::uint32_t leaves, std::uint32_t reduction) {
  auto meetings = leaf_meetings(servers, leaves, reduction);
  add_local_meetings(servers, leaves, meetings);
  const auto num_phases = static_cast<std::uint32_t>(meetings.size());
  std::vector<std::vector<Bundle>> to_leaf(leaves);
  for (std::uint32_t p = 0; p < num_phases; ++p)
    for (const auto& [from, to] : meetings[p]) to_leaf[to].push_back({from, p, 1, 0});
  const LaminarSide phase_side = LaminarSide::flat(num_phases);
  std::vector<std::vector<Bundle>> from_leaf(leaves);
  for (std::uint32_t b = 0; b < leaves; ++b)
    color_equitably(to_leaf[b], LaminarSide::flat(leaves), phase_side, servers,
                    [&](std::uint32_t d, const std::vector<Bundle>& mine) {
                      for (const Bundle& e : mine) from_leaf[e.left].push_back({b * servers + d, e.right, 1, 0});
                    });
  // Each server receives once per phase, from each leaf as often as that has servers.
  PhaseList phases(num_phases);
  for (std::uint32_t a = 0; a < leaves; ++a)
    color_equitably(from_leaf[a], LaminarSide::flat(std::size_t{servers} * leaves), phase_side, servers,
                    [&](std::uint32_t s, const std::vector<Bundle>& mine) {
                      for (const Bundle& e : mine)
                        if (e.left != a * servers + s) phases[e.right].emplace_back(a * servers + s, e.left);
                    });
  return phases;
}

std::uint64_t exchange_duration(const PhaseList& phases, const std::vector<std::uint32_t>& uplinks,
                                std::uint32_t servers_per_leaf) {
  std::uint64_t duration = 0;
  for (const auto& phase : phases) {
    std::vector<std::uint32_t> sends(uplinks.size(), 0);
    std::vector<std::uint32_t> receives(uplinks.size(), 0);
    for (const auto& [s, d] : phase) {
      if (s / servers_per_leaf == d / servers_per_leaf) continue;
      ++sends[s / servers_per_leaf];
      ++receives[d / servers_per_leaf];
    }
    std::uint32_t longest = 0;
    for (std::size_t leaf = 0; leaf < uplinks.size(); ++leaf)
      if (const std::uint32_t flows = std::max(sends[leaf], receives[leaf]); flows > 0)
        longest = std::max(longest, ceil_divide(flows, uplinks[leaf]));
    duration += longest;
  }
  return duration;
}

}  // namespace espalier
