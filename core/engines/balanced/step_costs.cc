// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/step_costs.h"

#include <algorithm>

#include "core/engines/balanced/parameters.h"
#include "core/tree/order/host_runs.h"

namespace espalier {

StepCosts::StepCosts(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostPart> parts)
    : channels_(channels.size()), switches_(problem.fabric.num_switches()), hosts_(problem.order.hosts.size()) {
  const bool along_leaves = parts.empty() && problem.order.jobs == problem.order.hosts;
  runs_ = along_leaves ? host_runs(problem.fabric, problem.order).size() : hosts_;
}

std::uint64_t StepCosts::counting(std::size_t phases) const {
  return kBalanced.additions_per_load * channels_ * phases +
         kBalanced.additions_per_count * hosts_ * std::min<std::uint64_t>(runs_, phases);
}

std::uint64_t StepCosts::pricing(std::size_t phases) const {
  return kBalanced.additions_per_price * channels_ * phases;
}

std::uint64_t StepCosts::counted_runs(std::size_t phases, std::size_t block) const {
  return hosts_ * (std::min<std::uint64_t>(runs_, phases) + phases / block + 1);
}

std::size_t StepCosts::affordable_phases(std::uint64_t additions, std::uint64_t per_phase) const {
  // Above `runs_` phases, more of them are cheaper.
  const std::uint64_t of_few = counting(1) + pricing(1) + per_phase;
  const std::uint64_t of_more = of_few - kBalanced.additions_per_count * hosts_;
  const std::uint64_t few = std::min(additions / std::max<std::uint64_t>(of_few, 1), runs_);
  if (few < runs_) return few;
  return few + (additions - few * of_few) / std::max<std::uint64_t>(of_more, 1);
}

}  // namespace espalier
