// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables and lanes for a known dragonfly: steps 2 and 3 of dragonfly_engine.h.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/engines/dragonfly/dragonfly_routes.h"
#include "core/fabric/choices/lid_choices.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier {

struct DragonflyOptions {
  PathSet paths = PathSet::kMinimal;
  unsigned max_vls = 8;
  Detours detours = Detours::kParitySign;
};

struct DragonflyRouting {
  ForwardingTables tables;
  Lanes lanes;
  std::uint64_t num_irregular = 0;                   // (source switch, LID) whose lanes had to be searched for
  std::optional<LidChoices> choices = std::nullopt;  // of several kinds of paths
};

// Errors: paths that find no lanes.
[[nodiscard]] Result<DragonflyRouting> route_dragonfly(const Dragonfly& dragonfly, const DragonflyOptions& options);

}  // namespace espalier
