// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What rank() and an engine are told besides the fabric: options of opensm.conf and espalier.conf, and the files that
// they name, which are read anew at each run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/engines/options.h"
#include "core/tree/fat_tree.h"
#include "core/tree/rank.h"
#include "plugin/lanes/link_lanes.h"
#include "plugin/run.h"

struct osm_opensm;

namespace espalier {

// What the levels come from besides the links.
[[nodiscard]] Result<RankOptions> rank_options(const PluginState& state);

// A number for OpenSM's lists that decide about levels.
[[nodiscard]] std::uint64_t lists_of(const RankOptions& options);

struct EngineInputs {
  EngineOptions options;
  std::uint64_t files_version = 0;  // InputFiles::version() of those that decide about the tables
  LinkFigures links = {};           // for an engine with lanes
};

// What the engine looks at on the fabric of this shape. Sentences for the log go to `warnings`. Errors: those of the files.
[[nodiscard]] Result<EngineInputs> engine_inputs(osm_opensm& osm, std::string_view engine_name, const Shape& shape,
                                                 const std::shared_ptr<const Fabric>& fabric, PluginState& state,
                                                 std::vector<std::string>& warnings);

// One sentence for each file that others than root and OpenSM's user may change: whoever may write them commands the
// routes.
[[nodiscard]] std::vector<std::string> warnings_of_foreign_files(const osm_opensm& osm, const PluginConfig& config);

}  // namespace espalier
