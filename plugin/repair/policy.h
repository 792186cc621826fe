// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// When tables are repaired, and when repaired tables give way to new ones: decisions without state or clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/engines/options.h"
#include "plugin/config.h"
#include "plugin/repair/routing_task.h"

namespace espalier {

// Whether runs of this engine repair the tables of a reference. Never where a file that only the engine can make goes
// with them: schedules, source offsets, weights of LID offsets; nor with rules for switches.
[[nodiscard]] bool wants_repair(const PluginConfig& config, std::string_view engine, const Fabric& fabric);

// Whether its tables may be in use side by side with earlier ones: not where paths are published or numbered
// elsewhere, nor with lanes, by which service levels of old paths meet new ones.
[[nodiscard]] bool may_mix_tables(const PluginConfig& config, std::string_view engine);

// Numbers for what tables depend on besides options: another number, other contents.
struct InputVersions {
  std::uint64_t lists = 0;  // GUIDs of roots and compute ports in opensm.conf: lists_of()
  std::uint64_t files = 0;  // EngineInputs::files_version
};

// `max_vls`: EngineOptions::max_vls.
[[nodiscard]] TableOrigin origin_of(std::string_view engine, const PluginConfig& config, const InputVersions& inputs,
                                    unsigned max_vls = EngineOptions{}.max_vls);

// What a run of this engine on this fabric is to do. REQUIRES: `tree` is of *fabric.
[[nodiscard]] RoutingTask make_task(const PluginConfig& config, std::string_view engine, const InputVersions& inputs,
                                    std::shared_ptr<const Fabric> fabric, std::shared_ptr<const FatTree> tree,
                                    EngineOptions options);

// What a run knows when it is over.
struct RunFacts {
  bool is_first_choice = true;     // the reference is what the engine makes when it has time
  bool is_makeshift = false;       // tables are of an engine of another kind, until this one's are there
  bool has_new_options = false;    // since the reference was made
  bool was_searched = false;       // a search for this fabric and these options has ended before
  bool has_new_equipment = false;  // that the reference does not know
  bool is_told_to = false;         // rebalance has been set to now, and no search has begun since
  double moved = 0;                // repaired routes, of all: 0 to 1
  std::chrono::system_clock::time_point now;
  std::chrono::system_clock::time_point last_change;  // of the fabric
};

struct SearchPlan {
  std::chrono::system_clock::time_point at;
  double gain = 0;  // by how much the result has to be better, 0 to 1; below 0: whatever it is
};

// When new tables are searched for outside of OpenSM's lock; nothing: not for what is known now.
[[nodiscard]] std::optional<SearchPlan> plan_search(const PluginConfig& config, const RunFacts& facts);

}  // namespace espalier
