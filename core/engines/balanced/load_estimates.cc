// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/load_estimates.h"

#include <algorithm>

#include "core/engines/balanced/loads/permutation_sample.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {

LoadEstimates::LoadEstimates(const RoutingProblem& problem, const BalancedOptions& options,
                             const TreeChannels& channels, const StepCosts& costs, Hops longest_path)
    : problem_(problem), options_(options), channels_(channels), costs_(costs), longest_path_(longest_path) {}

std::size_t LoadEstimates::sampled_shifts() const {
  return std::max(kBalanced.sampled_shifts, kBalanced.sampled_loads / std::max<std::size_t>(1, channels_.size()));
}

std::uint64_t LoadEstimates::sampling() const {
  return costs_.counting(std::min(sampled_shifts(), Phases::count_all(problem_.order, options_.parts)));
}

LoadSummary LoadEstimates::under(const HostColumns& columns, std::size_t shifts) const {
  const Phases phases(problem_.fabric, problem_.order, options_.parts, shifts);
  ShiftLoads sample(problem_, channels_, phases, longest_path_, options_.objective, options_.known_flows);
  sample.count_all(columns);
  return sample.summary();
}

bool LoadEstimates::pay_for_measuring(WorkBudget& budget) const {
  const std::size_t hosts = problem_.order.hosts.size();
  return budget.spend(costs_.counting(Phases::count_all(problem_.order, options_.parts)), kBalanced.additions_per_ms) &&
         budget.spend(PermutationSample::num_permutations(hosts) * hosts * longest_path_,
                      kBalanced.sampled_hops_per_ms);
}

LoadSummary LoadEstimates::measured(const HostColumns& columns) const {
  const Phases phases(problem_.fabric, problem_.order, options_.parts, kBalanced.sampled_loads);
  ShiftLoads loads(problem_, channels_, phases, longest_path_, options_.objective, options_.known_flows);
  loads.count_all(columns);
  LoadSummary summary = loads.summary();
  if (summary.random > 0) summary.random = PermutationSample(channels_, loads.weights(), phases).median(columns);
  return summary;
}

}  // namespace espalier
