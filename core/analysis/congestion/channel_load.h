// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which channels a traffic pattern fills, and with whose flows. congestion.h has the maxima of the same counts; this is
// for whoever asks "where, and who?".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/congestion/traffic.h"
#include "core/analysis/routes/host_routes.h"
#include "core/base/progress.h"

namespace espalier {

struct ChannelLoads {
  // Per channel: all-to-all: its flows; permutations: the most flows under any one of them.
  std::vector<std::uint64_t> flows;
  // Per channel, of permutations: the first that puts so many on it, as an index into the pattern (shift
  // shift_distances()[i], random_permutation(n, seed, i)). All-to-all: 0.
  std::vector<std::uint32_t> worst;
  std::uint64_t unrouted = 0;  // flows that do not arrive, and load nothing

  [[nodiscard]] std::uint64_t max() const;
  // The fullest `count` channels, those without flows left out; equal ones in the order of their ids.
  [[nodiscard]] std::vector<ChannelId> fullest(std::size_t count) const;
};

// max() is AllToAllRisk::xi_switches, the most of RiskDistribution::mu. `seed` is for random patterns, which make all
// their draws here. Flows are counted in shares (host_routes.h). Cost: as these.
// REQUIRES: all-to-all, or pattern.has_permutations().
[[nodiscard]] ChannelLoads channel_loads(const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed,
                                         Progress* progress = nullptr);

// Flows of one channel: `num_sources` hosts of leaf `from`, the lowest of which is `source`, to host `destination`.
struct ChannelUse {
  SwitchId from = kNoSwitch;
  std::uint32_t source = 0;       // rank
  std::uint32_t destination = 0;  // rank
  std::uint32_t num_sources = 1;  // 1 under a permutation
};

// All flows that arrive, by channel of `channels`; in the order of destination and leaf, or of the source.
[[nodiscard]] std::vector<std::vector<ChannelUse>> all_to_all_uses(const HostRoutes& routes,
                                                                   std::span<const ChannelId> channels);
// Under a permutation. REQUIRES: `destination` is one of routes.num_hosts().
[[nodiscard]] std::vector<ChannelUse> permutation_uses(const HostRoutes& routes, ChannelId channel,
                                                       std::span<const std::uint32_t> destination);

}  // namespace espalier
