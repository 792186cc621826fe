// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the steps of `balanced` cost, known before they are taken: all of them are paid from one budget
// (core/engines/work_budget.h), so that the whole takes no longer than balance_ms says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/deadline.h"
#include "core/engines/balanced/options.h"
#include "core/engines/routing_problem.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class StepCosts {
 public:
  // `parts` as in BalancedOptions.
  StepCosts(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostPart> parts);

  // In additions that do not fit into the cache: to set up the loads of so many phases, to count and to sum them up.
  [[nodiscard]] std::uint64_t counting(std::size_t phases) const;
  // To price them and to sum them up again: once per pass over all destinations.
  [[nodiscard]] std::uint64_t pricing(std::size_t phases) const;
  // How many phases can be counted, priced and looked at once, at `per_phase` additions, for so many additions.
  [[nodiscard]] std::size_t affordable_phases(std::uint64_t additions, std::uint64_t per_phase) const;

  // Runs of phases in which one source sends to one host, in blocks of so many phases.
  [[nodiscard]] std::uint64_t counted_runs(std::size_t phases, std::size_t block) const;

  // Entries for hosts in the tables of all switches.
  [[nodiscard]] std::uint64_t entries() const { return hosts_ * switches_; }

 private:
  std::uint64_t channels_;
  std::uint64_t switches_;
  std::uint64_t hosts_;
  std::uint64_t runs_;  // of phases in which one source sends to one host, at most
};

// What the search and the repair behind it are about.
struct SearchTask {
  const RoutingProblem& problem;
  const BalancedOptions& options;
  const TreeChannels& channels;
  const StepCosts& costs;
  Hops longest_path;  // no shortest up-down path is longer
  const Deadline& deadline;
};

}  // namespace espalier
