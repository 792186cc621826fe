// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The load of channels where each host spreads its rate over many destinations, as under the adversarial patterns of
// dragonflies (M. Garcia et al., ICPP 2013, section IV). The reciprocal of the worst load is the throughput at which
// the first channel is full, in parts of a host's rate, if channels and hosts are equally fast.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/routes/host_routes.h"

namespace espalier {

// Each of the sources sends at `rate`, in equal parts to the destinations other than itself. Ranks.
struct SpreadFlow {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> destinations;
  double rate = 1;
};

struct SpreadLoad {
  std::vector<double> of_channel;  // switch-to-switch channels; in rates of a host
  double unrouted = 0;             // what does not arrive, and loads nothing

  [[nodiscard]] double worst() const;
};

[[nodiscard]] SpreadLoad spread_load(const HostRoutes& routes, const std::vector<SpreadFlow>& flows);

}  // namespace espalier
