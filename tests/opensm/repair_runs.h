// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Runs as the plugin makes them, with Repairs, on trees.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/repair/repairable_reference.h"
#include "core/tree/rank.h"
#include "plugin/repair/repairs.h"
#include "tests/support/fabrics.h"

namespace espalier::test {

// A tree on which the search of balanced gains.
inline Fabric damaged_tree() { return degrade(pgft("3;6,4,6;1,4,4;1,1,1"), {.links = 9, .seed = 1001}).value(); }

inline RoutingTask task_of(Fabric fabric, const PluginConfig& config, const std::string& engine = "balanced") {
  auto owned = std::make_shared<const Fabric>(std::move(fabric));
  auto tree = std::make_shared<const FatTree>(rank(*owned).value());
  EngineOptions options;
  options.seed = config.seed;
  options.balance_ms = config.balance_ms;
  return make_task(config, engine, {}, owned, tree, options);
}

inline ForwardingTables routed(const RoutingTask& task, std::uint32_t balance_ms) {
  EngineOptions options = task.options;
  options.balance_ms = balance_ms;
  return make_engine(task.engine, options)->route(*task.tree).value().tables;
}

inline PluginConfig patient() {
  PluginConfig config;
  config.balance_ms = 50;
  config.rebalance_quiet_seconds = 100'000;
  return config;
}

// A run as the plugin makes it; the tables that are in use then. Repaired tables are told of.
inline ForwardingTables run(Repairs& repairs, const PluginConfig& config, const RoutingTask& task,
                            bool* was_repaired = nullptr) {
  const std::shared_ptr<const RepairableReference> reference = repairs.reference(config, task);
  if (was_repaired != nullptr) *was_repaired = reference != nullptr;
  if (!reference) {
    ForwardingTables start = routed(task, 0);
    repairs.in_use(config, task, Repairs::Made::kStart, std::make_shared<const Routing>(Routing{start, {}}));
    return start;
  }
  const PatchedRepair repaired = reference->patch(*task.fabric, {}).value();
  EXPECT_TRUE(verify(*task.fabric, repaired.tables.whole()).ok());
  repairs.in_use(config, task, RepairFacts{repaired.entries > 0 ? 0.5 : 0, repaired.has_new_equipment});
  return repaired.tables.whole();
}

}  // namespace espalier::test
