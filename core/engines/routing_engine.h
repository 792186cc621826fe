// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one interface of all routing engines. An engine is a pure function: same tree, same tables, whatever the number
// of threads (parallel loops run in the caller's tbb::task_arena).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/choices/lid_choices.h"
#include "core/fabric/choices/source_offsets.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct Schedule;

struct Routing {
  ForwardingTables tables;            // entry for every LID of the same connected component; kNoPort for other parts
  std::vector<std::string> warnings;  // what an admin should know about the tables, one sentence each
  std::shared_ptr<const Schedule> schedule = nullptr;          // of an engine that makes one
  std::optional<SourceOffsets> source_offsets = std::nullopt;  // of one that lets sources choose, with an LMC above 0
  std::optional<Lanes> lanes = std::nullopt;                   // of one that needs more than one; else all is on VL 0
  std::optional<LidChoices> choices = std::nullopt;            // of one whose offsets are not meant to be used alike
};

class RoutingEngine {
 public:
  virtual ~RoutingEngine() = default;
  // The word that opensm.conf and --engine use.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Errors: a pair of this connected component that cannot be routed, by name. Never half a table.
  [[nodiscard]] virtual Result<Routing> route(const FatTree& tree) const = 0;
};

}  // namespace espalier
