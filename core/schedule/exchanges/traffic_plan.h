// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Phases and spines for given traffic instead of all-to-all: so many messages from each server to each other.
//
// How. Phases first: messages between leaves are edges between servers, and equitable_coloring.h deals them into T
// phases so that in each a server sends and receives one at most, a leaf no more than it has uplinks. Then spines,
// phase by phase (phase_spines.h). In an all-to-all exchange it is the other way round, and better: there any server of
// a leaf is as good as another, so that the division into phases can respect links as well. Here a message has its
// servers, and links and servers are crossing sets.
//
// What finds no spine, or one spine more than there are LIDs, and messages within a leaf, are left over, to be fitted
// into phases with room (fit_flows.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/schedule/exchanges/exchange_plan.h"

namespace espalier {

struct ServerDemand {
  std::uint32_t from = 0;  // servers leaf by leaf
  std::uint32_t to = 0;
  std::uint32_t count = 1;
};

struct TrafficPlan {
  ExchangePlan exchange;
  // Messages that one server sends or receives, or that have to share the uplinks of one leaf: no schedule is shorter.
  std::uint32_t bound = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> left_over;  // one for each message
};

// REQUIRES: lids_per_host > 0; from != to in each demand.
[[nodiscard]] TrafficPlan plan_traffic(const LeafSpine& tree, const std::vector<ServerDemand>& demand,
                                       std::uint32_t lids_per_host);

}  // namespace espalier
