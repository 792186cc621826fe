// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The reference that runs repair, and what is known of it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/repair/repairable_reference.h"
#include "plugin/repair/routing_task.h"

namespace espalier {

struct KeptReference {
  // Nobody sets it; only the hours of rebalance_hours are told by the other one.
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<const RepairableReference> prepared;
  TableOrigin origin;
  bool is_first_choice = true;  // what the engine makes of its options
  Clock::time_point since = Clock::now();
  std::string saved_in = {};  // which state_directory has it; empty: none

  // Whether tables of the task may be made from it: not those of another engine, nor on links with fewer lanes.
  [[nodiscard]] bool serves(const RoutingTask& task) const;
};

// Tables of a task, ready to be repaired.
[[nodiscard]] std::shared_ptr<const RepairableReference> prepare(const RoutingTask& task, ForwardingTables tables,
                                                                 std::optional<Lanes> lanes);

// What was read from a state_directory. REQUIRES: it is not foreign to the task (why_foreign()).
[[nodiscard]] KeptReference kept_from_state(std::shared_ptr<const RepairableReference> read, const RoutingTask& task,
                                            std::string directory);

// Whether a reference made for one task serves the other: the same options, and no less equipment.
[[nodiscard]] bool stands_for(const RoutingTask& made, const RoutingTask& wanted);

// Whether equipment of the fabric hangs on others or follows them (core/repair/new_equipment/arrivals.h).
[[nodiscard]] bool has_followers(const RepairableReference& reference, const Fabric& fabric);

}  // namespace espalier
