// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one path from a tree to tables that may be used: route, then verify. The plugin and all subcommands that compute
// tables take it; they differ in where the fabric comes from, in what the engine is told, and in where the tables go.
//
// Here engines and their judge meet: neither knows the other.
#pragma once

#include <string_view>

#include "core/analysis/soundness/verify.h"
#include "core/base/result.h"
#include "core/engines/options.h"
#include "core/engines/routing_engine.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct VerifiedRouting {
  Routing routing;
  VerifyReport proof;   // whatever it says: ask it before the tables are used
  double route_ms = 0;  // by the clock
  double verify_ms = 0;
};

// Runs in the caller's tbb::task_arena.
// Errors: those of route(). That the tables are unsound is none.
[[nodiscard]] Result<VerifiedRouting> route_and_verify(const FatTree& tree, std::string_view engine,
                                                       const EngineOptions& options);

// The first half, for tables that nobody uses before somebody has judged them.
// Errors: those of the engine; an engine that does not exist.
[[nodiscard]] Result<Routing> route(const FatTree& tree, std::string_view engine, const EngineOptions& options);

}  // namespace espalier
