// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/engines/balanced/alternatives.h"
#include "core/engines/balanced/best_response_dynamics.h"
#include "core/engines/balanced/deficit_round_robin.h"
#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/ingress.h"
#include "core/engines/balanced/load_estimates.h"
#include "core/engines/balanced/multiplicative_weights.h"
#include "core/engines/balanced/other_offsets.h"
#include "core/engines/balanced/parameters.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/shift_repair.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/closed_form_by_planes.h"
#include "core/engines/modulo/closed_form_on_fast_links.h"
#include "core/engines/modulo/gxmodk.h"
#include "core/engines/modulo/weighted_modulo.h"
#include "core/engines/work_budget.h"
#include "core/tree/shift_bound.h"

namespace espalier {
namespace {

Hops longest_up_down_path(const RoutingProblem& problem) {
  Hops longest = 1;
  for (const SwitchId s : problem.fabric.switches())
    for (const Hops hops : problem.costs.cost_row(s))
      if (hops != kUnreachable) longest = std::max(longest, hops);
  return longest;
}

class Balancer {
 public:
  Balancer(const RoutingProblem& problem, const ForwardingTables& tables, const BalancedOptions& options,
           const Deadline& deadline)
      : problem_(problem),
        options_(options),
        deadline_(deadline),
        channels_(problem.tree),
        sources_(host_runs(problem.fabric, problem.order)),
        costs_(problem, channels_, options.parts),
        longest_path_(longest_up_down_path(problem)),
        estimates_(problem, options, channels_, costs_, longest_path_),
        columns_(problem, channels_, tables),
        offsets_(task(), sources_) {
    if (channels_.size() > 0) loads_ = estimates_.sampled(columns_);
  }

  // Whether nothing can be gained.
  [[nodiscard]] bool is_done() const {
    return channels_.size() == 0 || (meets_the_bound(loads_) && has_equal_leaves());
  }

  // Starts from these tables instead, if by the mean over a few shifts times what is likely under random permutations
  // they are no worse: true.
  bool start_from(const ForwardingTables& tables) {
    HostColumns columns(problem_, channels_, tables);
    const LoadSummary loads = estimates_.sampled(columns);
    if (loads_.mean_shift * loads_.random < loads.mean_shift * loads.random) return false;
    columns_ = std::move(columns);
    loads_ = loads;
    return true;
  }

  // Improves the columns; `tables` are what they started from.
  void run(const ForwardingTables& tables) {
    WorkBudget budget = budget_with_writing();
    if (!takes_all_to_repair(budget)) {
      assign_by_shares(budget);
      try_alternatives(budget);
    }
    search_from_several(budget);
    offsets_.find(columns_, ingress_, tables, estimates_.sampled_shifts());
  }

  // For columns that are done, those of `tables`: the other LID offsets only, by which a damaged tree may still carry more.
  // False: nothing changed.
  bool run_offsets(const ForwardingTables& tables) {
    const auto shares = static_cast<std::uint32_t>(offsets_.size());
    return channels_.size() > 0 && offsets_.find_above(shift_bound(shares) * loads_.units_per_flow,
                                                       estimates_.sampled_shifts(), columns_, tables);
  }

  // Where phases between types count: improves the columns, gxmodk's, within the pieces that they keep to.
  void run_in_pieces(const ForwardingTables& tables) {
    if (meets_the_bound(loads_)) return;
    WorkBudget budget = budget_with_writing();
    std::vector<Pieces> pieces;
    for (unsigned k = 0; k < (offsets_.are_wanted() ? offsets_.size() : 1); ++k)
      pieces.emplace_back(HostColumns(problem_, channels_, tables, k), problem_, sources_, options_.types);
    search_and_repair(budget, pieces[0]);
    (void)offsets_.find_rotated(columns_, tables, pieces);
  }

  // Puts the columns into `tables`, and what goes with them for the other LIDs of hosts.
  void write(ForwardingTables& tables) const {
    columns_.write(problem_, channels_, tables);
    offsets_.write(tables);
  }

 private:
  // Less what it takes to write the columns back.
  [[nodiscard]] WorkBudget budget_with_writing() const {
    WorkBudget budget(options_.milliseconds);
    budget.charge(costs_.entries(), kBalanced.moved_entries_per_ms);
    return budget;
  }

  [[nodiscard]] bool meets_the_bound(const LoadSummary& loads) const {
    return loads.known_flows == 0 && loads.worst_shift <= shift_bound(1) * loads.units_per_flow;
  }
  [[nodiscard]] std::uint32_t shift_bound(std::uint32_t shares_per_flow) const {
    return worst_shift_bound(problem_.tree, channels_, problem_.order.hosts.size(), shares_per_flow);
  }

  // Whether all switches with hosts have as many of them: counters and other numberings gain nothing then.
  [[nodiscard]] bool has_equal_leaves() const {
    std::size_t hosts = 0;
    for (const SwitchId s : problem_.fabric.switches()) {
      if (problem_.tree.hosts(s).empty()) continue;
      if (hosts != 0 && problem_.tree.hosts(s).size() != hosts) return false;
      hosts = problem_.tree.hosts(s).size();
    }
    return true;
  }

  // A start that lost the comparison by its first look.
  struct Start {
    LoadSummary loads;
    HostColumns columns;
  };

  // From the columns, and as far as the budget reaches from what is better than these in some figure or nearly as good:
  // where a descent ends depends on where it starts. A start may itself be better than where it ends, for searches go by
  // an estimate of random permutations.
  void search_from_several(WorkBudget& budget) {
    if (deadline_.passed()) return;
    if (!fits_into_the_cache(channels_, problem_.order)) return search_and_repair(budget, {});
    const HostColumns start = columns_;
    best_response_dynamics(task(), {}, budget, columns_);
    if (!estimates_.pay_for_measuring(budget)) return;
    LoadSummary least = estimates_.measured(columns_);
    const auto contend = [&](const HostColumns& columns) {
      const LoadSummary now = estimates_.measured(columns);
      if (!is_preferable(now, least)) return;
      columns_ = columns;
      least = now;
    };
    if (estimates_.pay_for_measuring(budget)) contend(start);
    std::sort(others_.begin(), others_.end(),
              [](const Start& a, const Start& b) { return is_preferable(a.loads, b.loads); });
    for (Start& other : std::span(others_).first(std::min(others_.size(), kBalanced.most_starts - 1))) {
      if (deadline_.passed() || !estimates_.pay_for_measuring(budget)) return;
      contend(other.columns);
      if (!estimates_.pay_for_measuring(budget)) return;
      best_response_dynamics(task(), {}, budget, other.columns);
      contend(other.columns);
    }
    // Whoever was not searched from.
    for (std::size_t i = kBalanced.most_starts - 1; i < others_.size() && estimates_.pay_for_measuring(budget); ++i)
      contend(others_[i].columns);
  }

  [[nodiscard]] bool is_enough_to_repair(std::uint32_t milliseconds) const {
    WorkBudget budget(milliseconds);
    return ShiftRepair::pay(task(), budget);
  }
  // In run(): small fabrics are searched from several starts instead.
  [[nodiscard]] bool will_repair(std::uint32_t milliseconds) const {
    return !fits_into_the_cache(channels_, problem_.order) && is_enough_to_repair(milliseconds);
  }
  // Takes what is paid for from the budget, unless no repair of all shifts could be paid for any more.
  [[nodiscard]] bool take_beside_repair(const WorkBudget& paid, WorkBudget& budget) const {
    if (will_repair(budget.milliseconds()) && !is_enough_to_repair(paid.milliseconds())) return false;
    budget = paid;
    return true;
  }
  // Whether there is time for a repair of all shifts if there is for nothing else. In an order that does not follow the
  // leaves they take longest to count, and a repair gains the most: no other start is much better by chance, and no search
  // that counts some shifts gains anything in the others.
  [[nodiscard]] bool takes_all_to_repair(const WorkBudget& budget) const {
    return will_repair(budget.milliseconds()) && !is_enough_to_repair(budget.milliseconds() / kBalanced.repair_share);
  }

  // The search counts some shifts, the repair all of them.
  void search_and_repair(WorkBudget& budget, const Pieces& pieces) {
    const HostColumns start = columns_;
    const std::uint32_t all = budget.milliseconds(), share = all / kBalanced.repair_share;
    const std::uint32_t reserved = is_enough_to_repair(share) ? share : is_enough_to_repair(all) ? all : 0;
    budget.charge(reserved, 1);
    best_response_dynamics(task(), pieces, budget, columns_);
    if (reserved > 0 && repair(WorkBudget(reserved + budget.milliseconds()), pieces)) return;
    look_at_other_shifts(start);
  }

  // False: it would make random permutations worse, or there is no time for it.
  bool repair(WorkBudget budget, const Pieces& pieces) {
    if (deadline_.passed() || !ShiftRepair::pay(task(), budget)) return false;
    ShiftRepair repair(task());
    if (!repair.run(budget, pieces, columns_)) return false;
    offsets_.find_after(repair, estimates_.sampled_shifts(), columns_, ingress_);
    return true;
  }
  [[nodiscard]] SearchTask task() const { return {problem_, options_, channels_, costs_, longest_path_, deadline_}; }

  // Back to the start where it is better under shifts that the search did not count, and no worse in their mean. A few
  // wrong links do less harm than a search that counts some shifts can do under the others. This takes up to a tenth of
  // the budget more.
  void look_at_other_shifts(const HostColumns& start) {
    const WorkBudget budget(options_.milliseconds / kBalanced.second_look_share);
    const std::size_t shifts = costs_.affordable_phases(budget.steps(kBalanced.additions_per_ms), 0);
    if (shifts < kBalanced.sampled_shifts || deadline_.passed()) return;
    const LoadSummary before = estimates_.under(start, shifts);
    const LoadSummary now = estimates_.under(columns_, shifts);
    if (is_preferable(before, now) && before.mean_shift <= now.mean_shift * kBalanced.tolerance) columns_ = start;
  }

  void keep(const LoadSummary& loads, HostColumns columns) {
    if (!fits_into_the_cache(channels_, problem_.order) || columns == columns_) return;
    for (const Start& other : others_)
      if (other.columns == columns) return;
    others_.push_back({loads, std::move(columns)});
  }

  // Makes these the columns if they are better; keeps the others.
  void choose(HostColumns columns) {
    const LoadSummary now = estimates_.sampled(columns);
    const bool better = is_better(now, loads_);
    if (better) std::swap(columns, columns_);
    keep(better ? loads_ : now, std::move(columns));
    if (better) loads_ = now;
  }

  // The columns anew, from fractional shares. As they were: it would take too long, which is known from one
  // destination, or they would be no better.
  void assign_by_shares(WorkBudget& budget) {
    const std::span<const HostRun> sources = sources_;
    const Ingress first = find_ingress(problem_, channels_, sources, sources.first(1)).front();
    WorkBudget after = budget;
    if (!after.spend(sources.size() * first.channels.size(), kBalanced.ingress_channels_per_ms) ||
        !after.spend(estimates_.sampling(), kBalanced.additions_per_ms) || !take_beside_repair(after, budget))
      return;
    offsets_.pay_for_shares(first.channels.size());
    ingress_ = find_ingress(problem_, channels_, sources, sources);
    if (deadline_.passed()) return;
    balance_shares(ingress_, problem_.fabric.num_switches(), channels_.size());
    if (deadline_.passed()) return;
    HostColumns assigned = columns_;
    assign_hosts(problem_, channels_, sources, ingress_, assigned);
    choose(std::move(assigned));
  }

  // The columns of another engine or another numbering, if they are better and there is time to ask.
  void try_alternatives(WorkBudget& budget) {
    WorkBudget after = budget;
    if (!after.spend(costs_.entries(), kBalanced.computed_entries_per_ms, kBalanced.alternatives_share) ||
        !after.spend(kNumAlternatives * estimates_.sampling(), kBalanced.additions_per_ms,
                     kBalanced.alternatives_share) ||
        // They compute the entries of all LIDs, though only those of offset 0 are looked at.
        !take_beside_repair(after, budget) || !offsets_.pay_for_entries(kBalanced.alternatives_share))
      return;
    for (std::size_t i = 0; i < kNumAlternatives && !deadline_.passed(); ++i)
      choose(alternative(i, problem_, channels_, columns_));
  }

  const RoutingProblem& problem_;
  const BalancedOptions& options_;
  const Deadline& deadline_;
  TreeChannels channels_;
  std::vector<HostRun> sources_;
  StepCosts costs_;
  Hops longest_path_;
  LoadEstimates estimates_;
  HostColumns columns_;
  LoadSummary loads_;             // of the columns, by a sample
  std::vector<Start> others_;     // of small fabrics
  std::vector<Ingress> ingress_;  // with shares; empty where there was no time for them
  OtherOffsets offsets_;
};

// Makes the best of several closed forms the start. Whether a search could gain nothing.
bool choose_closed_form(const RoutingProblem& problem, Balancer& balancer, ForwardingTables& tables) {
  if (balancer.is_done()) return true;
  // GUIDs that follow no planes put flows to one host on different paths down.
  if (ForwardingTables by_planes = closed_form_by_planes(problem, tables);
      by_planes != tables && balancer.start_from(by_planes))
    tables = std::move(by_planes);
  if (balancer.is_done()) return true;
  if (std::optional<ForwardingTables> fast = closed_form_on_fast_links(problem, tables);
      fast && balancer.start_from(*fast))
    tables = *std::move(fast);
  // On trees that miss whole switches, and on fast links beside others, the plain form may line up better.
  if (ForwardingTables weighted = weighted_modulo(problem); balancer.start_from(weighted)) tables = std::move(weighted);
  return balancer.is_done();
}

}  // namespace

ForwardingTables balanced(const RoutingProblem& problem, const BalancedOptions& options, const Deadline& deadline) {
  const bool by_type = options.objective.phases && tells_types_apart(problem.order, options.types);
  EngineOptions of_types;
  if (by_type) of_types.node_types = options.types;
  ForwardingTables tables = by_type ? gxmodk(problem, of_types) : closed_form(problem);
  // Every pair with an up-down path is routed; what follows only chooses between such paths.
  if (problem.order.hosts.size() < 2 || (by_type && options.milliseconds == 0)) return tables;
  Balancer balancer(problem, tables, options, deadline);
  const bool is_done = !by_type && choose_closed_form(problem, balancer, tables);
  if (options.milliseconds == 0) return tables;
  if (by_type)
    balancer.run_in_pieces(tables);
  else if (!is_done)
    balancer.run(tables);
  else if (!balancer.run_offsets(tables))
    return tables;
  if (!deadline.passed()) balancer.write(tables);
  // The maximum load under the counted shifts, and probably under random permutations, is no higher than it was.
  return tables;
}

}  // namespace espalier
