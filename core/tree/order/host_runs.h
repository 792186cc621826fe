// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts of one switch that follow each other in an order of hosts. In a topological order that is one run per switch
// with hosts, so that a run stands for "all sources of a leaf", or "all destinations of a leaf".
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/order/node_order.h"

namespace espalier {

// Positions first .. last-1 of NodeOrder::hosts.
struct HostRun {
  SwitchId at = kNoSwitch;
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  [[nodiscard]] std::uint32_t size() const { return last - first; }
};

// All hosts, as few runs as possible, in the order's sequence.
[[nodiscard]] std::vector<HostRun> host_runs(const Fabric& fabric, const NodeOrder& order);

}  // namespace espalier
