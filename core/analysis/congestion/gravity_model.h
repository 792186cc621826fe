// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who sends to whom, guessed from what each host sends and receives in all: the gravity model of traffic matrices (Zhang,
// Roughan, Duffield and Greenberg, SIGMETRICS 2003). Each host is taken to spread what it sends over the others in
// proportion to what these receive.
//
//   a sends 6, b receives 4, c receives 2:  a -> b 4, a -> c 2
//
// Port counters tell no more than these sums: two pairs that talk to each other alone look like four hosts that talk to
// all. What is right is where much comes from and goes to, which is what routes around full links need.
#pragma once

#include <span>
#include <vector>

namespace espalier {

struct HostSums {
  double sent = 0;      // at least 0, in any one unit
  double received = 0;  // ditto
};

struct EstimatedFlow {
  std::size_t source = 0;  // positions in `hosts`
  std::size_t destination = 0;
  double weight = 0;
};

// Flows of at least `least`, above 0, by source, then destination. Nobody sends to himself.
[[nodiscard]] std::vector<EstimatedFlow> gravity_flows(std::span<const HostSums> hosts, double least);

}  // namespace espalier
