// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The options by which `espalier generate` and `espalier modify` make a fabric more like real ones.
#pragma once

#include "core/fabric/generators/modifiers.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// REQUIRES: `modifiers` outlives the parsing of `command`.
void add_modifier_options(CLI::App& command, Modifiers& modifiers);

}  // namespace espalier::tools
