// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes as subcommands write them beside tables.
#pragma once

#include <optional>
#include <string>

#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// --lanes FILE. `otherwise`: what --help says of tables without lanes.
void add_lanes_to_write(CLI::App& command, std::string& path, const std::string& otherwise);

// How many of them links need; without lanes 1.
[[nodiscard]] unsigned num_vls(const std::optional<Lanes>& lanes);

// Writes them, or one lane where there are none. Without a path nothing is written, but several lanes cause a warning.
// Throws Refused.
void save_lanes(const std::string& path, const Fabric& fabric, const std::optional<Lanes>& lanes);

}  // namespace espalier::tools
