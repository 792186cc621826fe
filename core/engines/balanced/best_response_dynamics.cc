// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/best_response_dynamics.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/engines/balanced/best_response.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/balanced/parameters.h"
#include "core/engines/balanced/sources_below.h"

namespace espalier {
namespace {

// How a search goes about it. Where all shifts are counted there is nothing to lose in others: behind a careful search
// comes one that looks at nothing but the busiest channels. It gains 0.1 to 0.7 flows in the mean over shifts of real
// fabrics in the order of names.
struct Regime {
  PriceRule prices;
  std::uint64_t hysteresis;
};
constexpr std::array<Regime, 1> kSampled{
    {{{kBalanced.load_price_power, kBalanced.highest_mean_price}, kBalanced.sampled_hysteresis}}};
constexpr std::array<Regime, 2> kExact{
    {{{kBalanced.load_price_power, kBalanced.highest_mean_price}, kBalanced.exact_hysteresis},
     {{kBalanced.steep_price_power, kBalanced.steep_mean_price}, kBalanced.no_hysteresis}}};

// What a phase adds to a pass, as if there were one phase for each host.
std::uint64_t additions_per_phase(const Fabric& fabric, const TreeChannels& channels, const SourcesBelow& below) {
  std::uint64_t additions = 0;
  for (const SwitchId s : fabric.switches()) additions += 2 * channels.num_up(s) * below.num_hosts(below.set(s));
  return additions;
}

// As many phases as can be counted and looked at in one pass over all flows for most of the budget, and memory permits;
// at least two for each leaf where they can be counted at all, and not a multiple of the leaves.
std::size_t affordable_phases(const TreeChannels& channels, const StepCosts& costs, std::size_t num_sources,
                              std::uint64_t additions, std::uint64_t per_phase, std::uint64_t speedup) {
  const std::uint64_t pass = per_phase * kBalanced.pass_share_denominator / kBalanced.pass_share_numerator / speedup;
  return std::min(std::max(costs.affordable_phases(additions, pass), 2 * num_sources + 1),
                  std::max<std::size_t>(1, kBalanced.max_loads / std::max<std::size_t>(1, channels.size())));
}

// What a search may take.
struct Effort {
  std::uint64_t additions;
  std::uint64_t per_pass;  // additions of what a pass takes besides its destinations
  const Deadline& deadline;
};

class BestResponseDynamics {
 public:
  // REQUIRES: the loads are those of the columns; they are again after every destination.
  BestResponseDynamics(HostColumns& columns, ShiftLoads& loads, BestResponse& response, const Pieces& pieces,
                       const Effort& effort)
      : columns_(columns),
        loads_(loads),
        response_(response),
        pieces_(pieces),
        effort_(effort),
        left_(effort.additions) {}

  // The best columns of all passes.
  void run() {
    HostColumns best = columns_;
    LoadSummary now = loads_.summary();
    LoadSummary least = now;
    for (const Regime& regime : loads_.phases().are_all() ? std::span<const Regime>(kExact) : kSampled) {
      response_.set_hysteresis(regime.hysteresis);
      for (std::uint32_t pass = 0, without_gain = 0;
           pass < kBalanced.max_passes && without_gain < kBalanced.patience && has_time(); ++pass) {
        spend(effort_.per_pass);
        loads_.set_prices(now, regime.prices);
        pass_over_all(kBalanced.first_price_factor * loads_.mean_path_price() >> without_gain);
        now = loads_.summary();
        without_gain = is_better(now, least) ? 0 : without_gain + 1;
        if (is_worse(now, least)) continue;
        best = columns_;
        least = now;
      }
    }
    columns_ = std::move(best);
  }

  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  [[nodiscard]] bool has_time() const { return left_ > 0 && !effort_.deadline.passed(); }
  void spend(std::uint64_t additions) { left_ -= std::min(left_, additions); }

  // Each destination once, as far as the budget reaches. Leaf by leaf, because the windows of neighbors are neighbors,
  // and the leaves from all over the tree. Only flows in pods where somebody pays more than `price` move.
  void pass_over_all(std::uint32_t price) {
    const auto sources = loads_.sources();
    std::size_t stride = sources.size() * kBalanced.stride_numerator / kBalanced.stride_denominator + 1;
    while (std::gcd(stride, sources.size()) != 1) ++stride;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const HostRun& leaf = sources[i * stride % sources.size()];
      for (std::uint32_t host = leaf.first; host < leaf.last && has_time(); ++host)
        if (!pieces_.stays(host)) choose_for(host, leaf.at, price);
    }
  }

  void choose_for(std::uint32_t host, SwitchId leaf, std::uint32_t price) {
    const auto column = columns_.column(host);
    const ShiftLoads::Flows flows = response_.select_flows(host, leaf, column, price);
    loads_.remove(flows, column);
    response_.choose(column);
    loads_.add(flows, column);
    spend(response_.work());
  }

  HostColumns& columns_;
  ShiftLoads& loads_;
  BestResponse& response_;
  const Pieces& pieces_;
  Effort effort_;
  std::uint64_t left_;  // additions
};

}  // namespace

void best_response_dynamics(const SearchTask& task, const Pieces& pieces, WorkBudget& budget, HostColumns& columns) {
  const auto& [problem, options, channels, costs, longest_path, deadline] = task;
  const bool is_cached = fits_into_the_cache(channels, problem.order);
  const std::uint64_t speedup = is_cached ? kBalanced.cached_speedup : 1;
  const std::uint64_t per_ms = kBalanced.additions_per_ms * speedup;
  const std::vector<HostRun> sources = host_runs(problem.fabric, problem.order);
  const SourcesBelow below(problem, sources);
  const Phases phases(problem.fabric, problem.order, options.parts,
                      affordable_phases(channels, costs, sources.size(), budget.steps(kBalanced.additions_per_ms),
                                        additions_per_phase(problem.fabric, channels, below), speedup));
  if (!budget.spend(costs.counting(phases.size()), kBalanced.additions_per_ms)) return;
  ShiftLoads loads(problem, channels, phases, longest_path, options.objective, options.known_flows);
  loads.count_all(columns);
  BestResponse response(problem, channels, below, loads, pieces);
  if (is_cached) response.set_overhead(kBalanced.cached_speedup);
  const std::uint64_t additions = budget.steps(per_ms);
  BestResponseDynamics dynamics(columns, loads, response, pieces,
                                {additions, costs.pricing(phases.size()) * speedup, deadline});
  dynamics.run();
  budget.charge(additions - dynamics.left(), per_ms);
}

bool fits_into_the_cache(const TreeChannels& channels, const NodeOrder& order) {
  return channels.size() * order.hosts.size() <= kBalanced.cached_loads;
}

}  // namespace espalier
