// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What engines may be told besides the tree. Each engine looks at its own.
#pragma once

#include <cstdint>

#include "core/tree/node_types.h"

namespace espalier {

struct EngineOptions {
  NodeTypes node_types;    // gxmodk: of the tree's end ports; empty: all are alike
  std::uint64_t seed = 1;  // of the random engines: same seed, same tables
};

}  // namespace espalier
