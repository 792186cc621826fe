// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// New tables for a fabric whose tables have been repaired, and whether they are worth the routes that they move.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/repair/repairable_reference.h"
#include "plugin/repair/routing_task.h"

namespace espalier {

struct Rebalanced {
  ForwardingTables tables;     // sound
  std::optional<Lanes> lanes;  // of tables that need them
  bool is_worth_it = true;
  std::string verdict;  // for people
};

// Runs the engine as long as it takes. Worth it: better than repaired tables of `known` by more than this share; with a
// share of 0 as good is enough, below 0 anything, and without `known` likewise. What comes when it is told to stop is
// of no use.
// Errors: why the engine declines, or what is wrong with its tables.
[[nodiscard]] Result<Rebalanced> rebalance(const RoutingTask& task, const RepairableReference* known, double least_gain,
                                           const std::stop_token& stop);

}  // namespace espalier
