// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where a subcommand has the lanes of tables from: our own file, or what OpenSM dumped and its subnet administrator
// said.
#pragma once

#include <optional>
#include <string>

#include "core/fabric/lanes.h"
#include "core/tools/cli_fwd.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {

struct LaneFiles {
  std::string lanes;         // as route --lanes writes it
  std::string sl2vl;         // opensm-sl2vl.dump
  std::string path_records;  // saquery

  [[nodiscard]] bool given() const { return !lanes.empty() || !sl2vl.empty() || !path_records.empty(); }
};

// --lanes, --sl2vl and --path-records.
void add_lane_options(CLI::App& command, LaneFiles& files);

// Those of the files; without any those that came with the tables, as an engine computed them. Nothing: one lane.
// Warns of pairs without a path record. Throws Refused.
[[nodiscard]] std::optional<Lanes> load_lanes(const FabricAndTables& subject, const LaneFiles& files);

// Of a live subnet: its SL2VL tables, and the path record of each pair. Nothing, after a warning, when it does not
// tell.
[[nodiscard]] std::optional<Lanes> load_live_lanes(const Source& source, const FabricAndTables& subject);

}  // namespace espalier::tools
