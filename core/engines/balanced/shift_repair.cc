// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/shift_repair.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/engines/balanced/loads/permutation_sample.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/balanced/loads/type_phase_loads.h"
#include "core/engines/balanced/min_conflicts.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

[[nodiscard]] bool pay_for_counts(const SearchTask& task, std::size_t phases, std::uint64_t times, WorkBudget& budget) {
  return budget.spend(times * LoadBytes::size(task.channels, phases), kBalanced.counted_bytes_per_ms) &&
         budget.spend(times * task.costs.counted_runs(phases, LoadBytes::kPhasesOfBlock) * task.longest_path,
                      kBalanced.counted_hops_per_ms);
}

// Phases between types by these columns. None: there are no pieces to keep to, or no time or memory to do without them.
[[nodiscard]] std::vector<TypePhaseLoads> count_types(const SearchTask& task, const Phases& phases,
                                                      std::span<const Pieces> pieces,
                                                      std::span<const HostColumns> offsets, WorkBudget& budget) {
  std::vector<TypePhaseLoads> of_types;
  if (pieces.empty() || pieces[0].are_all()) return of_types;
  const NodeOrder& order = task.problem.order;
  const TypePhaseLoads::Size size = TypePhaseLoads::size(task.channels, order, task.options.types, task.longest_path);
  if (offsets.size() * size.bytes > kBalanced.max_load_bytes ||
      !budget.spend(offsets.size() * size.bytes, kBalanced.counted_bytes_per_ms) ||
      !budget.spend(offsets.size() * size.hops, kBalanced.counted_hops_per_ms))
    return of_types;
  for (const HostColumns& columns : offsets)
    of_types.emplace_back(task.channels, phases, order, task.options.types, columns);
  return of_types;
}

// `scale`: units of ShiftLoads in one of the loads.
[[nodiscard]] ShiftRepair::Spread spread_of(const LoadBytes& loads, std::uint32_t scale) {
  const auto most = loads.most().first(loads.phases().size());
  return {scale * *std::max_element(most.begin(), most.end()),
          scale * std::accumulate(most.begin(), most.end(), std::uint64_t{0})};
}

}  // namespace

ShiftRepair::Spread ShiftRepair::sample(const SearchTask& task, std::size_t shifts,
                                        std::span<const HostColumns> offsets) {
  const Phases phases(task.problem.fabric, task.problem.order, task.options.parts, shifts);
  const FlowWeights weights(task.problem.tree, task.channels);
  LoadBytes loads(task.channels, weights, phases);
  if (loads.count_all(offsets[0]) && std::all_of(offsets.begin() + 1, offsets.end(),
                                                 [&](const HostColumns& other) { return loads.count_more(other); }))
    return spread_of(loads, 1);
  // Too high for bytes.
  ShiftLoads high(task.problem, task.channels, phases, task.longest_path);
  for (const HostColumns& columns : offsets) high.count_all(columns);
  const LoadSummary summary = high.summary();
  return {summary.worst_shift,
          static_cast<std::uint64_t>(std::llround(summary.mean_shift * static_cast<double>(phases.size())))};
}

bool ShiftRepair::pay(const SearchTask& task, WorkBudget& budget) {
  const BalancedOptions& options = task.options;
  const std::size_t hosts = task.problem.order.hosts.size();
  const std::size_t phases = Phases::count_all(task.problem.order, options.parts);
  const bool counts_only_shifts = options.objective.flows == 0 || options.known_flows.empty();
  return counts_only_shifts && options.objective.shifts > 0 &&
         LoadBytes::size(task.channels, phases) <= kBalanced.max_load_bytes &&
         pay_for_counts(task, phases, 1, budget) &&
         budget.spend(2 * PermutationSample::num_permutations(hosts) * hosts * task.longest_path,
                      kBalanced.sampled_hops_per_ms);
}

ShiftRepair::ShiftRepair(const SearchTask& task)
    : task_(task),
      phases_(task.problem.fabric, task.problem.order, task.options.parts,
              Phases::count_all(task.problem.order, task.options.parts)),
      weights_(task.problem.tree, task.channels),
      loads_(task.channels, weights_, phases_),
      below_(task.problem, phases_.sources()) {}

bool ShiftRepair::run(WorkBudget budget, const Pieces& pieces, HostColumns& columns) {
  if (!loads_.count_all(columns)) return false;
  HostColumns repaired = columns;
  MinConflicts conflicts({task_.problem, task_.channels, weights_, below_}, {&pieces, 1}, loads_, {&repaired, 1});
  std::vector<TypePhaseLoads> of_types = count_types(task_, phases_, {&pieces, 1}, {&columns, 1}, budget);
  conflicts.keep(of_types);
  steps_left_ = conflicts.run(budget.steps(kBalanced.repair_steps_per_ms), task_.deadline);
  if (task_.options.objective.random > 0) {
    const PermutationSample sample(task_.channels, weights_, phases_);
    if (sample.mean(repaired) > sample.mean(columns) + kBalanced.random_noise) return false;
  }
  columns = std::move(repaired);
  has_offset_0_ = true;
  return true;
}

std::optional<ShiftRepair::Spread> ShiftRepair::run_offsets(WorkBudget budget, std::span<const Pieces> pieces,
                                                            std::span<HostColumns> offsets) {
  const RoutingProblem& problem = task_.problem;
  const bool are_equal = std::all_of(problem.order.hosts.begin(), problem.order.hosts.end(), [&](EndportId e) {
    return std::size_t{1} << problem.fabric.at(e).lmc == offsets.size();
  });
  if (!are_equal || !count_together(offsets, budget)) return {};
  const std::vector<Pieces> none(pieces.empty() ? offsets.size() : 0);
  MinConflicts conflicts({problem, task_.channels, weights_, below_}, pieces.empty() ? none : pieces, loads_, offsets);
  std::vector<TypePhaseLoads> of_types = count_types(task_, phases_, pieces, offsets, budget);
  conflicts.keep(of_types);
  (void)conflicts.run(steps_left_ + budget.steps(kBalanced.repair_steps_per_ms), task_.deadline);
  return spread_of(loads_, unit_ / weights_.unit);
}

// Counts all of them, in coarser units where a load would be too high in the present ones. False: or in any, or no time.
bool ShiftRepair::count_together(std::span<const HostColumns> offsets, WorkBudget& budget) {
  for (bool has_first = std::exchange(has_offset_0_, false);; has_first = false) {
    if (!pay_for_counts(task_, phases_.size(), offsets.size() - (has_first ? 1 : 0), budget)) return false;
    if ((has_first || loads_.count_all(offsets[0])) &&
        std::all_of(offsets.begin() + 1, offsets.end(),
                    [&](const HostColumns& other) { return !task_.deadline.passed() && loads_.count_more(other); }))
      return true;
    if (weights_.unit == 1 || task_.deadline.passed()) return false;
    weights_ = FlowWeights(task_.problem.tree, task_.channels, weights_.unit / 2);
  }
}

}  // namespace espalier
