// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Names of CLI11 for headers. <CLI/CLI.hpp> takes a compiler seconds; who defines options includes it, nobody else.
#pragma once

#include "core/tools/cli_fwd.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI
