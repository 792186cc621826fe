// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The smallest metric, as "Add a metric" in core/analysis/README.md describes one: how many of the channels between
// switches carry no flow of an all-to-all exchange.
//
// Example: two leaves and two spines; tables that route everything over one spine leave the four channels of the other
// idle.
#pragma once

#include <cstdint>

#include "core/analysis/routes/host_routes.h"
#include "core/fabric/fabric.h"

namespace espalier::test {

// Of 2 x fabric.num_switch_links() channels. REQUIRES: `routes` are of `fabric`.
[[nodiscard]] std::uint64_t idle_channels(const Fabric& fabric, const HostRoutes& routes);

}  // namespace espalier::test
