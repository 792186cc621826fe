// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/rate_files.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/text.h"

namespace espalier::tools {
namespace {

constexpr double kLeastWeight = 0.00005;  // less would be written as 0

// With the rates of all flows of a pair of hosts at the first of them; they have the same paths.
FlowRates summed_by_pair(const std::vector<Flow>& flows, const PathProblem& problem, FlowRates rates) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first_of;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto [pair, is_new] = first_of.try_emplace({flows[f].source, flows[f].destination}, f);
    if (is_new) continue;
    const std::size_t first = pair->second;
    rates.of_flow[first] += std::exchange(rates.of_flow[f], 0);
    for (std::size_t i = 0; i < problem.first_path[f + 1] - problem.first_path[f]; ++i)
      rates.of_path[problem.first_path[first] + i] += rates.of_path[problem.first_path[f] + i];
  }
  return rates;
}

}  // namespace

std::string weights_text(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::vector<Flow>& flows,
                         const PathProblem& problem, const FlowRates& rates_of_flows) {
  const FlowRates rates = summed_by_pair(flows, problem, rates_of_flows);
  std::string text = "# How each source should split what it sends to a destination over the LID offsets.\n";
  for (std::size_t f = 0; f < flows.size(); ++f) {
    if (rates.of_flow[f] <= 0) continue;
    const Endport& from = fabric.at(hosts[flows[f].source]);
    const Endport& to = fabric.at(hosts[flows[f].destination]);
    text += fmt::format("0x{:016x} 0x{:016x}", index(from.port_guid), index(to.port_guid));
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      if (const double weight = rates.of_path[p] / rates.of_flow[f]; weight >= kLeastWeight)
        text += fmt::format(" {}:{:.4f}", problem.offsets[p], weight);
    text += fmt::format("  # {} to {}\n", printable(from.description), printable(to.description));
  }
  return text;
}

std::vector<PathShare> path_shares(const std::vector<EndportId>& hosts, const std::vector<Flow>& flows,
                                   const PathProblem& problem, const FlowRates& rates) {
  std::vector<PathShare> shares;
  for (std::size_t f = 0; f < flows.size(); ++f)
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p) {
      if (!(rates.of_path[p] > 1e-6 * rates.of_flow[f])) continue;
      PathShare& share = shares.emplace_back();
      share.from = hosts[flows[f].source];
      share.to = hosts[flows[f].destination];
      share.weight = rates.of_path[p];
      for (const std::uint32_t resource : problem.resources(p))
        if (resource < problem.heads.size()) share.switches.push_back(SwitchId{problem.heads[resource]});
    }
  return shares;
}

}  // namespace espalier::tools
