// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/hotspot.h"
#include "core/analysis/congestion/spread_load.h"
#include "core/tools/command.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/measure/adversarial.h"
#include "core/tools/measure/extra_measurements.h"
#include "core/tools/progress_bar.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using PatternKind = TrafficPattern::Kind;

// One measurement at work: what every pattern's metrics need.
struct Task {
  const Routed& routed;
  const HostRoutes& routes;
  std::uint64_t seed;
  const NodeTypes& types;
  const TrafficPattern& pattern;
  Json& result;

  [[nodiscard]] std::string key(std::string_view metric, std::string_view suffix = {}) const {
    return fmt::format("{}_{}{}", metric, pattern.name(), suffix);
  }
  [[nodiscard]] Json flows(std::uint64_t shares) const { return in_flows(shares, routes.shares_per_flow()); }
  void add_unrouted(std::uint64_t shares) const {
    if (shares > 0) result[key("unrouted")] = flows(shares);
  }
};

Json whole(double value) {
  if (value == std::floor(value)) return static_cast<std::uint64_t>(value);
  return value;
}

void add_all_to_all(const Task& task) {
  ProgressBar bar("a2a");
  const AllToAllRisk risk = all_to_all_risk(task.routes, bar.progress());
  task.result["xi_a2a"] = task.flows(risk.xi);
  task.result["Xi_a2a"] = task.flows(risk.xi_switches);
  task.result["mu_a2a"] = task.flows(risk.mu);
  if (!task.routes.capacities().all_are_one()) {
    std::uint32_t most = 0;
    for (std::size_t c = 0; c < risk.channel_flows.size(); ++c)
      most = std::max(most, per_capacity(task.routes, id_at<ChannelId>(c), risk.channel_flows[c]));
    task.result["Xi_a2a_per_capacity"] = most / 1000.0;
  }
  task.add_unrouted(risk.unrouted);
}

void add_shifts(const Task& task) {
  ProgressBar bar(task.pattern.text());
  const RiskDistribution risk = permutation_risk(task.routes, task.pattern, task.seed, bar.progress());
  task.result["mu_sp_max"] = whole(risk.max());
  task.result["mu_sp_mean"] = risk.mean();
  if (!task.routes.capacities().all_are_one()) {
    task.result["mu_sp_max_per_capacity"] = risk.per_capacity().max();
    task.result["mu_sp_mean_per_capacity"] = risk.per_capacity().mean();
  }
  task.add_unrouted(risk.unrouted);
}

RiskDistribution draw(const Task& task) {
  ProgressBar bar(task.pattern.text());
  if (task.pattern.has_permutations()) return permutation_risk(task.routes, task.pattern, task.seed, bar.progress());
  return phase_risk(
      task.routes, task.pattern.parameter, task.pattern.standard_error, bar.progress(), [&](std::size_t i) {
        return two_way_ring(random_permutation(task.routes.num_hosts(), task.seed, static_cast<std::uint32_t>(i)));
      });
}

void add_draws(const Task& task) {
  const RiskDistribution risk = draw(task);
  task.result[task.key("mu", "_median")] = risk.median();
  task.result[task.key("mu", "_q1")] = risk.quantile(0.25);
  task.result[task.key("mu", "_q3")] = risk.quantile(0.75);
  task.result[task.key("mu", "_q40_1")] = risk.quantile(1.0 / 40);
  task.result[task.key("mu", "_q40_39")] = risk.quantile(39.0 / 40);
  task.result[task.key("mu", "_mean")] = risk.mean();
  task.result[task.key("mu", "_max")] = whole(risk.max());
  task.result[task.key("mu", "_stderr")] = risk.standard_error();
  task.result[task.key("mu", "_draws")] = risk.mu.size();
  if (!task.routes.capacities().all_are_one())
    task.result[task.key("mu", "_median_per_capacity")] = risk.per_capacity().median();
  task.add_unrouted(risk.unrouted);
}

void add_hotspots(const Task& task) {
  ProgressBar bar(task.pattern.text());
  const RiskDistribution load = task.pattern.kind == PatternKind::kScatter ? scatter_load(task.routes, bar.progress())
                                                                           : gather_load(task.routes, bar.progress());
  task.result[task.key("Xi", "_max")] = whole(load.max());
  task.result[task.key("Xi", "_mean")] = load.mean();
  task.add_unrouted(load.unrouted);
}

void add_type_phases(const Task& task) {
  const auto ranks = [&](const std::string& word) {
    return ranks_named(task.routed.fabric, task.routed.hosts, task.types, word);
  };
  const std::vector<std::uint32_t> from = ranks(task.pattern.from);
  const std::vector<std::uint32_t> to = ranks(task.pattern.to);
  ProgressBar bar("phase");
  const auto forth = [&](std::size_t k) { return type_phase(from, to, k); };
  const auto back = [&](std::size_t k) { return reversed(type_phase(from, to, k)); };
  std::vector<Flow> all;
  for (std::size_t k = 0; k < to.size(); ++k) {
    const std::vector<Flow> flows = forth(k);
    all.insert(all.end(), flows.begin(), flows.end());
  }
  std::uint64_t unrouted = 0;
  const auto add = [&](std::string_view direction, const auto& phase, std::span<const Flow> all_pairs) {
    const RiskDistribution risk = phase_risk(task.routes, to.size(), 0, bar.progress(), phase);
    task.result[task.key("mu", fmt::format("{}_max", direction))] = whole(risk.max());
    task.result[task.key("mu", fmt::format("{}_mean", direction))] = risk.mean();
    task.result[task.key("mu", fmt::format("{}_all", direction))] = task.flows(flow_risk(task.routes, all_pairs).mu);
    unrouted += risk.unrouted;
  };
  add("", forth, all);
  add("_back", back, reversed(all));
  task.add_unrouted(unrouted);
}

void add_matrix(const Task& task) {
  const std::vector<Flow> flows = flows_in_file(task.routed.fabric, task.routed.hosts, task.pattern.from);
  const FlowRisk risk = flow_risk(task.routes, flows);
  task.result["mu_matrix"] = task.flows(risk.mu);
  task.result["Xi_matrix"] = task.flows(risk.xi_switches);
  task.result["load_matrix"] = risk.weight;
  if (!task.routes.capacities().all_are_one()) task.result["load_matrix_per_capacity"] = risk.weight_per_capacity;
  task.result["flows_matrix"] = risk.num_flows;
  task.add_unrouted(risk.unrouted);
}

// Keys "load_advg_4", "throughput_mixed_8_1_50".
void add_adversarial(const Task& task) {
  const SpreadLoad load =
      spread_load(task.routes, adversarial_flows(task.routed.fabric, task.routed.hosts, task.pattern));
  std::string suffix = task.pattern.text().substr(task.pattern.name().size());
  std::replace(suffix.begin(), suffix.end(), ':', '_');
  task.result[task.key("load", suffix)] = load.worst();
  task.result[task.key("throughput", suffix)] = std::min(1.0, 1 / load.worst());
  if (load.unrouted > 0) task.result[task.key("unrouted", suffix)] = load.unrouted;
}

void add_pattern(const Task& task) {
  switch (task.pattern.kind) {
    case PatternKind::kAllToAll:
      return add_all_to_all(task);
    case PatternKind::kShifts:
      return add_shifts(task);
    case PatternKind::kRandomPermutations:
    case PatternKind::kBisections:
    case PatternKind::kTwoWayBisections:
    case PatternKind::kRings:
    case PatternKind::kTwoWayRings:
      return add_draws(task);
    case PatternKind::kScatter:
    case PatternKind::kGather:
      return add_hotspots(task);
    case PatternKind::kTypePhases:
      return add_type_phases(task);
    case PatternKind::kMatrix:
      return add_matrix(task);
    case PatternKind::kAdversarialGlobal:
    case PatternKind::kAdversarialLocal:
    case PatternKind::kAdversarialMixed:
      return add_adversarial(task);
  }
}

// Shifts and random permutations of each part of the order by itself.
void add_parts(Json& result, const Routed& routed, const std::vector<TrafficPattern>& patterns, std::uint64_t seed,
               const MeasureOptions& options) {
  for (const HostPart& part : options.order.parts) {
    Json figures{{"part", part.name}, {"hosts", part.hosts.size()}, {"weight", whole(part.weight)}};
    const Routed of_part{routed.fabric, routed.tables, part.hosts};
    const HostRoutes routes(routed.fabric, routed.tables, part.hosts, options.lids);
    for (const TrafficPattern& pattern : patterns)
      if (pattern.kind == PatternKind::kShifts || pattern.kind == PatternKind::kRandomPermutations)
        add_pattern({of_part, routes, seed, options.types, pattern, figures});
    result["parts"].push_back(std::move(figures));
  }
}

}  // namespace

std::vector<TrafficPattern> patterns_or_refuse(const std::string& list) {
  std::vector<TrafficPattern> patterns = value_or_refuse(parse_patterns(list));
  std::set<PatternKind> kinds;
  for (const TrafficPattern& pattern : patterns)
    if (!pattern.is_adversarial() && !kinds.insert(pattern.kind).second)
      throw Refused{
          {fmt::format("\"{}\" contains two patterns of the same kind", list), {}, 0, "run them one after the other"}};
  return patterns;
}

std::string shifts_and_permutations(std::size_t num_hosts) {
  constexpr std::size_t kHostsForAllShifts = 2048;
  return num_hosts <= kHostsForAllShifts ? "sp,rp:200" : "sp:16,rp:200";
}

Json measure(const Routed& routed, const std::vector<TrafficPattern>& patterns, std::uint64_t seed,
             const MeasureOptions& options) {
  Json result;
  result["hosts"] = routed.hosts.size();
  result["switches"] = routed.fabric.num_switches();
  if (!options.order.basis.empty()) result["host_order"] = options.order.basis;
  const HostRoutes routes(routed.fabric, routed.tables, routed.hosts, options.lids);
  if (!routes.capacities().all_are_one()) result["host_rate"] = routes.capacities().host_rate().text();
  for (const TrafficPattern& pattern : patterns) add_pattern({routed, routes, seed, options.types, pattern, result});
  if (options.lids.kind != LidUse::Kind::kTable && options.lids.kind != LidUse::Kind::kChoices)
    add_parts(result, routed, patterns, seed, options);
  if (options.also.contains(Extra::kDistances)) add_distances(result, routed);
  if (options.also.contains(Extra::kLengths)) add_lengths(result, routed);
  if (options.also.contains(Extra::kKsp)) add_ksp(result, routed);
  if (options.also.contains(Extra::kDisjoint)) add_disjoint(result, routed);
  if (!options.also.contains(Extra::kLevels) && !options.also.contains(Extra::kBalance) &&
      !options.also.contains(Extra::kBound))
    return result;
  const FatTree tree = value_or_refuse(rank(routed.fabric));
  if (options.also.contains(Extra::kLevels)) add_levels(result, tree, routes, patterns, seed);
  if (options.also.contains(Extra::kBalance)) add_balance(result, tree, routed);
  if (options.also.contains(Extra::kBound))
    result["bound"] = bounds_json(tree, routed, routes.shares_per_flow(), patterns, options.types);
  return result;
}

}  // namespace espalier::tools
