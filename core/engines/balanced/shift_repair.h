// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What follows the search where all shifts can be counted: flows moved away from where they meet (min_conflicts.h), under
// the shifts that the search has left out as well; first the routes to offset 0, then those to the other LID offsets.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/flow_weights.h"
#include "core/engines/balanced/loads/load_bytes.h"
#include "core/engines/balanced/loads/phases.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/sources_below.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/work_budget.h"

namespace espalier {

class ShiftRepair {
 public:
  // Takes from the budget what a repair of offset 0 costs besides its moves. False: there is none, for want of budget or
  // memory, or because more than shifts counts.
  [[nodiscard]] static bool pay(const SearchTask& task, WorkBudget& budget);

  // REQUIRES: paid; the task's parts outlive this.
  explicit ShiftRepair(const SearchTask& task);

  // Moves flows, which makes no shift worse, and takes the result unless random permutations are, by a sample of them that
  // the search has not seen. False: it is not taken, the columns are as they were.
  [[nodiscard]] bool run(WorkBudget budget, const Pieces& pieces, HostColumns& columns);

  // What traffic spread over all LID offsets comes to under some shifts.
  struct Spread {
    std::uint32_t worst_shift = 0;  // the most shares of flows on a channel, in units of ShiftLoads
    std::uint64_t sum = 0;          // of the same over these shifts
    auto operator<=>(const Spread&) const = default;
  };
  // Estimated by a sample of so many shifts.
  [[nodiscard]] static Spread sample(const SearchTask& task, std::size_t shifts, std::span<const HostColumns> offsets);
  // Moves flows of that traffic, within a budget of its own and what run() has left. The columns of offset 0 stay; after
  // run() was true they have to be its result. Pieces: one of each offset, or none. Nothing: hosts have LID ranges of
  // several sizes, loads are too high to be counted, or there is no time.
  std::optional<Spread> run_offsets(WorkBudget budget, std::span<const Pieces> pieces, std::span<HostColumns> offsets);

 private:
  [[nodiscard]] bool count_together(std::span<const HostColumns> offsets, WorkBudget& budget);

  SearchTask task_;
  Phases phases_;
  FlowWeights weights_;
  std::uint32_t unit_ = weights_.unit;  // that of ShiftLoads; weights may become coarser
  LoadBytes loads_;
  SourcesBelow below_;
  bool has_offset_0_ = false;  // the loads are those of offset 0
  std::uint64_t steps_left_ = 0;
};

}  // namespace espalier
