// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

void add_watch(CLI::App& app);

}  // namespace espalier::tools
