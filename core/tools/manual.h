// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Manual pages and completion for bash, made of what --help says, so that they cannot differ from it.
#pragma once

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// The subcommand `manual`, which writes manual pages and completion into a folder.
void add_manual(CLI::App& app);

}  // namespace espalier::tools
