// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measurement.h"

#include <fmt/format.h>

#include <set>

#include "core/analysis/congestion.h"
#include "core/analysis/host_routes.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

void add_result(Json& result, const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed) {
  std::uint64_t unrouted = 0;
  switch (pattern.kind) {
    case TrafficPattern::Kind::kAllToAll: {
      const AllToAllRisk risk = all_to_all_risk(routes);
      result["xi_a2a"] = risk.xi;
      result["Xi_a2a"] = risk.xi_switches;
      result["mu_a2a"] = risk.mu;
      unrouted = risk.unrouted;
      break;
    }
    case TrafficPattern::Kind::kShifts: {
      const RiskDistribution risk = shift_risk(routes, pattern.parameter);
      result["mu_sp_max"] = risk.max();
      result["mu_sp_mean"] = risk.mean();
      unrouted = risk.unrouted;
      break;
    }
    case TrafficPattern::Kind::kRandomPermutations: {
      const RiskDistribution risk = random_risk(routes, pattern.parameter, seed);
      result["mu_rp_median"] = risk.median();
      result["mu_rp_q1"] = risk.quantile(0.25);
      result["mu_rp_q3"] = risk.quantile(0.75);
      result["mu_rp_mean"] = risk.mean();
      result["mu_rp_max"] = risk.max();
      unrouted = risk.unrouted;
      break;
    }
  }
  const std::string text = pattern.text();
  if (unrouted > 0) result["unrouted_" + text.substr(0, text.find(':'))] = unrouted;
}

}  // namespace

std::vector<TrafficPattern> patterns_or_refuse(const std::string& list) {
  std::vector<TrafficPattern> patterns = value_or_refuse(parse_patterns(list));
  std::set<TrafficPattern::Kind> kinds;
  for (const TrafficPattern& pattern : patterns)
    if (!kinds.insert(pattern.kind).second)
      throw Refused{{fmt::format("\"{}\" asks for two patterns of one kind", list), {}, 0, "ask one after the other"}};
  return patterns;
}

Json measure(const Routed& routed, const std::vector<TrafficPattern>& patterns, std::uint64_t seed) {
  Json result;
  result["hosts"] = routed.hosts.size();
  result["switches"] = routed.fabric.num_switches();
  const HostRoutes routes(routed.fabric, routed.tables, routed.hosts);
  for (const TrafficPattern& pattern : patterns) add_result(result, routes, pattern, seed);
  return result;
}

}  // namespace espalier::tools
