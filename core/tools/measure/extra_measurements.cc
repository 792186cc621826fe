// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/extra_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/analysis/congestion/bound.h"
#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/lane_loads.h"
#include "core/analysis/congestion/level_loads.h"
#include "core/analysis/congestion/visible_balance.h"
#include "core/analysis/routes/disjoint_paths.h"
#include "core/analysis/routes/hops.h"
#include "core/graphs/realized_paths.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

// The switches of one level.
struct LevelBalance {
  std::uint64_t num_switches = 0;
  PortSpread all;  // over all ports of the level
  PortSpread up;
  std::uint32_t widest = 0;  // the largest spread in one switch
  std::uint32_t widest_up = 0;
  std::uint64_t num_unbalanced = 0;  // as OpenSM sees it
  std::uint64_t num_unbalanced_up = 0;

  void add(const SwitchBalance& balance) {
    ++num_switches;
    join(all, balance.all);
    join(up, balance.up);
    widest = std::max(widest, balance.all.spread());
    widest_up = std::max(widest_up, balance.up.spread());
    num_unbalanced += balance.all.spread() > kBalancedSpread ? 1U : 0U;
    num_unbalanced_up += balance.up.spread() > kBalancedSpread ? 1U : 0U;
  }

 private:
  static void join(PortSpread& a, const PortSpread& b) {
    if (b.num_ports == 0) return;
    a.min = a.num_ports == 0 ? b.min : std::min(a.min, b.min);
    a.max = std::max(a.max, b.max);
    a.num_ports += b.num_ports;
  }
};

Json spread_json(const PortSpread& spread, std::uint32_t widest, std::uint64_t num_unbalanced) {
  return {{"ports", spread.num_ports},
          {"min", spread.min},
          {"max", spread.max},
          {"spread_max", widest},
          {"unbalanced_switches", num_unbalanced}};
}

}  // namespace

Json in_flows(std::uint64_t shares, std::uint32_t shares_per_flow) {
  if (shares % shares_per_flow == 0) return shares / shares_per_flow;
  return static_cast<double>(shares) / shares_per_flow;
}

void add_distances(Json& result, const Routed& routed) {
  const HopReport hops = count_hops(routed.fabric, routed.tables, routed.hosts);
  result["nu"] = hops.mean();
  result["diameter"] = hops.diameter();
  result["detours"] = hops.num_detours;
}

void add_lengths(Json& result, const Routed& routed) {
  const HopReport hops = count_hops(routed.fabric, routed.tables, routed.hosts);
  Json& lengths = result["lengths"] = Json::object();
  for (std::size_t links = 0; links < hops.pairs_of_length.size(); ++links)
    if (hops.pairs_of_length[links] > 0) lengths[std::to_string(links)] = hops.pairs_of_length[links];
}

void add_lane_loads(Json& result, const Routed& routed, const Lanes& lanes, const LidUse& use) {
  const LaneLoads loads =
      lane_loads(routed.fabric, routed.tables, lanes, all_to_all_flows(routed.fabric, routed.hosts, use));
  double total = 0;
  for (const LaneLoads::Load& load : loads.of_vl) total += load.sum;
  result["vls"] = lanes.num_vls();
  result["sls"] = lanes.num_sls();
  result["lanes"] = Json::array();
  for (std::size_t vl = 0; vl < loads.of_vl.size(); ++vl)
    result["lanes"].push_back({{"vl", vl},
                               {"channels", loads.of_vl[vl].channels},
                               {"Xi", loads.of_vl[vl].most},
                               {"share", total > 0 ? loads.of_vl[vl].sum / total : 0}});
}

void add_ksp(Json& result, const Routed& routed) {
  constexpr std::uint64_t kMostPairs = 20'000;
  const RealizedPaths paths = realized_paths(routed.fabric, routed.tables, routed.hosts, kMostPairs);
  result["ksp"] = {{"k", paths.k},
                   {"pairs", paths.pairs},
                   {"requested", paths.requested},
                   {"realized", paths.realized},
                   {"share", paths.share()},
                   {"distinct", paths.distinct}};
}

void add_levels(Json& result, const FatTree& tree, const HostRoutes& routes,
                const std::vector<TrafficPattern>& patterns, std::uint64_t seed) {
  for (const TrafficPattern& pattern : patterns) {
    if (pattern.kind != TrafficPattern::Kind::kAllToAll && !pattern.has_permutations()) continue;
    Json levels = Json::array();
    for (const LevelLoad& load : level_loads(tree, channel_loads(routes, pattern, seed).flows)) {
      const double shares = routes.shares_per_flow();
      levels.push_back({{"level", index(load.level)},
                        {"direction", load.direction == LevelLoad::Direction::kUp ? "up" : "down"},
                        {"channels", load.sorted.size()},
                        {"min", static_cast<double>(load.sorted.front()) / shares},
                        {"mean", load.mean() / shares},
                        {"max", static_cast<double>(load.sorted.back()) / shares},
                        {"bin_width", static_cast<double>(load.bin_width()) / shares},
                        {"bins", load.bins()}});
    }
    result[fmt::format("levels_{}", pattern.name())] = std::move(levels);
  }
}

void add_balance(Json& result, const FatTree& tree, const Routed& routed) {
  std::vector<LevelBalance> levels(tree.num_levels());
  const std::vector<SwitchBalance> balance = visible_balance(tree, routed.tables);
  for (const SwitchId s : routed.fabric.switches()) levels[index(tree.level(s))].add(balance[index(s)]);
  Json list = Json::array();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const LevelBalance& of = levels[level];
    Json item{{"level", level}, {"switches", of.num_switches}};
    if (of.up.num_ports > 0) item["up"] = spread_json(of.up, of.widest_up, of.num_unbalanced_up);
    item["all"] = spread_json(of.all, of.widest, of.num_unbalanced);
    list.push_back(std::move(item));
  }
  result["balance"] = std::move(list);
}

void add_disjoint(Json& result, const Routed& routed) {
  const DisjointPaths paths = disjoint_paths(routed.fabric, routed.tables, routed.hosts);
  Json& json = result["disjoint"];
  json["pairs"] = paths.num_pairs;
  json["mean"] = paths.mean();
  for (std::size_t n = 0; n < paths.pairs_with.size(); ++n)
    if (paths.pairs_with[n] > 0) json["histogram"][std::to_string(n)] = paths.pairs_with[n];
  json["survive_any_link"] = paths.survive_link;
  json["survive_any_switch"] = paths.survive_switch;
}

Json bounds_json(const FatTree& tree, const Routed& routed, std::uint32_t shares_per_flow,
                 const std::vector<TrafficPattern>& patterns, const NodeTypes& types) {
  using Kind = TrafficPattern::Kind;
  const CutBounds bounds(tree, routed.hosts, shares_per_flow);
  const bool is_spread = shares_per_flow > 1;
  Json result = Json::object();
  const auto add = [&](const std::string& metric, const Bound& bound) {
    result[metric] = in_flows(bound.shares, shares_per_flow);
    if (!bound.why.empty()) result[metric + "_why"] = bound.why;
  };
  for (const TrafficPattern& pattern : patterns) {
    if (pattern.kind == Kind::kAllToAll) add("Xi_a2a", bounds.all_to_all());
    if (pattern.kind == Kind::kRandomPermutations && !is_spread) add("mu_rp_median", bounds.random_permutations());
    if (pattern.kind == Kind::kShifts) {
      const ShiftBound shifts = shift_bound(bounds, routed.hosts.size(), pattern);
      add("mu_sp_max", shifts.worst);
      result["mu_sp_mean"] = shifts.mean / shares_per_flow;
    }
    if (pattern.kind != Kind::kTypePhases || is_spread) continue;
    const auto from = ranks_named(routed.fabric, routed.hosts, types, pattern.from);
    const auto to = ranks_named(routed.fabric, routed.hosts, types, pattern.to);
    Bound forth;
    Bound back;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::vector<Flow> flows = type_phase(from, to, k);
      if (Bound now = bounds.phase(flows); now.shares > forth.shares) forth = std::move(now);
      if (Bound now = bounds.phase(reversed(flows)); now.shares > back.shares) back = std::move(now);
    }
    add("mu_phase_max", forth);
    add("mu_phase_back_max", back);
  }
  return result;
}

}  // namespace espalier::tools
