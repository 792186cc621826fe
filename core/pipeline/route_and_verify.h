// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one path from a fabric to tables that may be used: rank, route, verify. The plugin, `espalier route` and `espalier
// compare` take it; they differ in where the fabric comes from and where the tables go.
//
// Here engines and their judge meet: neither knows the other.
#pragma once

#include <optional>
#include <string>

#include "core/analysis/soundness/verify.h"
#include "core/base/result.h"
#include "core/engines/options.h"
#include "core/engines/routing_engine.h"
#include "core/tree/fat_tree.h"
#include "core/tree/rank.h"

namespace espalier {

enum class Proof : std::uint8_t { kRequired, kSkipped };

struct RoutingRequest {
  std::string engine;
  RankOptions rank;
  EngineOptions options;
  Proof proof = Proof::kRequired;
};

// Milliseconds.
struct StageTimes {
  double rank = 0;
  double route = 0;
  double verify = 0;
};

struct RoutedFabric {
  FatTree tree;
  Routing routing;
  std::optional<VerifyReport> proof;  // whatever it says; empty where it was skipped
  StageTimes times;
};

// REQUIRES: `fabric` outlives the result. Runs in the caller's tbb::task_arena.
// Errors: those of rank() and of the engine; an engine that does not exist. That the tables are unsound is none: whoever
// uses them asks `proof`.
[[nodiscard]] Result<RoutedFabric> route_and_verify(const Fabric& fabric, const RoutingRequest& request);

}  // namespace espalier
