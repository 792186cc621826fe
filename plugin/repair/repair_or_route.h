// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables for the fabric as it is now, by repair where there is a reference, else by the engine; none that are not
// sound.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/base/result.h"
#include "core/engines/routing_engine.h"
#include "core/repair/memory/patched_tables.h"
#include "core/repair/repairable_reference.h"
#include "plugin/config.h"
#include "plugin/laps.h"
#include "plugin/log.h"
#include "plugin/repair/repairs.h"
#include "plugin/repair/routing_task.h"
#include "plugin/repair/tables_ahead.h"

namespace espalier {

struct SoundRouting {
  Routing routing;  // kRepaired: without tables, which are `patched`
  // How they came about, for Repairs::in_use().
  enum class How : std::uint8_t { kRouted, kRepaired, kStarted } how = How::kRouted;
  std::shared_ptr<const ChannelDependencies> dependencies = {};  // of a routing with lanes
  unsigned num_sls = 1;                                          // likewise: counted once, since it takes long
  RepairFacts repair = {};                                       // kRepaired
  std::uint64_t reference_entries = 0;                           // kRepaired: that differ from the reference
  std::uint64_t repaired_routes = 0;                             // kRepaired
  std::shared_ptr<const RepairableReference> reference = {};     // kRepaired: of which `patched` has rows
  PatchedTables patched = {};                                    // kRepaired

  [[nodiscard]] TableRows rows() const { return how == How::kRepaired ? patched.rows() : TableRows(routing.tables); }
  [[nodiscard]] ForwardingTables tables() const { return how == How::kRepaired ? patched.whole() : routing.tables; }
};

// What the last run repaired. Where nothing has changed since, it is what a repair would make, and proven.
struct LastRepaired {
  std::shared_ptr<const Fabric> fabric;  // null: nothing
  SwitchPaths how = {};
  std::shared_ptr<const SoundRouting> sound;

  // Whether it is what a repair of this reference would make now. REQUIRES: `reference` is not null.
  [[nodiscard]] bool serves(const RoutingTask& task, const RepairableReference* reference) const {
    return sound && sound->reference.get() == reference && fabric == task.fabric &&
           how == task.options.switch_paths.how;
  }
};

// What there is of earlier runs, and of this one.
struct MadeBefore {
  Repairs& repairs;
  LastRepaired& last;
  const std::optional<TablesAhead>& ahead;  // what it has is waited for, and not made again
};

// Errors: why the engine declines, or what is wrong with its tables.
[[nodiscard]] Result<std::shared_ptr<const SoundRouting>> repair_or_route(const Log& log, const PluginConfig& config,
                                                                          const RoutingTask& task,
                                                                          const MadeBefore& made, Laps& laps);

// Tables from this reference, proven.
struct RepairAttempt {
  std::shared_ptr<const SoundRouting> sound;  // null: see `error`
  std::string error = {};
  bool is_useless = false;  // no repair of this reference will succeed
};
[[nodiscard]] RepairAttempt repair_reference(const RoutingTask& task,
                                             std::shared_ptr<const RepairableReference> reference, Laps& laps);

// The same without a reference. Runs in the caller's tbb::task_arena.
[[nodiscard]] Result<std::shared_ptr<const SoundRouting>> route_anew(const RoutingTask& task, Laps& laps);

// Tells `repairs` what is in use from now on; its thread waits until OpenSM has written it.
void remember(const PluginConfig& config, RoutingTask task, const std::shared_ptr<const SoundRouting>& routed,
              Repairs& repairs);

}  // namespace espalier
