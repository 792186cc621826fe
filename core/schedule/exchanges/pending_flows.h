// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Given traffic where no construction says when: flow by flow, for fit_flows.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/exchanges/fit_flows.h"
#include "core/schedule/exchanges/routed_exchange.h"
#include "core/schedule/schedule.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// By places among `schedule`'s servers, without pairs that nothing connects. REQUIRES: the servers are in the fabric and
// cabled, and the traffic is among them.
[[nodiscard]] std::vector<PendingFlow> pending_flows(const FatTree& tree, const Schedule& schedule,
                                                     const std::vector<Demand>& traffic);

// How many of them one server sends or receives at most: no schedule has fewer phases.
[[nodiscard]] std::uint32_t most_messages(const std::vector<PendingFlow>& flows, std::size_t num_servers);

}  // namespace espalier
