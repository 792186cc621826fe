// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which links two hosts share, and how often that hurts. Two flows to (or from) two different hosts collide when they
// cross one channel; who sends to them decides whether they do.
//
//   S0   S1      All LIDs of L1's hosts c, d go over S0: flows a -> c, b -> d share (L0,S0) and (S0,L1). Over S0 and
//   | \ / |      S1 they share nothing. From leaf L2, a -> c and e -> d share only (S0,L1).
//   L0   L1
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/routes/host_routes.h"

namespace espalier {

// A channel that carries flows of both.
struct SharedChannel {
  ChannelId channel{};
  std::uint32_t flows_a = 0;  // one per other host, of those that arrive
  std::uint32_t flows_b = 0;
};

struct SharedLinks {
  std::vector<SharedChannel> channels;  // most of min(flows_a, flows_b) first, then by id
  // Pairs of flows that a permutation may contain: the other ends x of a's flow and y of b's differ, x is not a, y not
  // b.
  std::uint64_t num_pairs = 0;
  std::uint64_t num_colliding = 0;  // of these, both arrive and cross a common channel

  [[nodiscard]] double fraction() const {
    return num_pairs == 0 ? 0 : static_cast<double>(num_colliding) / static_cast<double>(num_pairs);
  }
};

// Flows to ranks a and b, and from them. REQUIRES: a != b, both < routes.num_hosts().
// O(leaves^2 x length) and O(hosts^2 x length).
[[nodiscard]] SharedLinks links_shared_to(const HostRoutes& routes, std::size_t a, std::size_t b);
[[nodiscard]] SharedLinks links_shared_from(const HostRoutes& routes, std::size_t a, std::size_t b);

}  // namespace espalier
