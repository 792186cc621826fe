// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The loads that columns would put on channels, estimated from a sample of the shifts, or measured.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/load_summary.h"
#include "core/engines/balanced/options.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/routing_problem.h"
#include "core/engines/work_budget.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class LoadEstimates {
 public:
  // REQUIRES: all of these outlive this. `longest_path` in hops.
  LoadEstimates(const RoutingProblem& problem, const BalancedOptions& options, const TreeChannels& channels,
                const StepCosts& costs, Hops longest_path);

  // How many shifts a sample has, at most; and what it costs to look at columns under these, in additions.
  [[nodiscard]] std::size_t sampled_shifts() const;
  [[nodiscard]] std::uint64_t sampling() const;
  // By a sample of the shifts, or all of a small fabric.
  [[nodiscard]] LoadSummary sampled(const HostColumns& columns) const { return under(columns, sampled_shifts()); }
  // Under so many shifts.
  [[nodiscard]] LoadSummary under(const HostColumns& columns, std::size_t shifts) const;

  // False: no time to measure once.
  [[nodiscard]] bool pay_for_measuring(WorkBudget& budget) const;
  // Under all shifts, as far as memory allows, and random permutations, by a sample of them.
  [[nodiscard]] LoadSummary measured(const HostColumns& columns) const;

 private:
  const RoutingProblem& problem_;
  const BalancedOptions& options_;
  const TreeChannels& channels_;
  const StepCosts& costs_;
  Hops longest_path_;
};

}  // namespace espalier
