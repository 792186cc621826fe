// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/fabric/endport_role.h"
#include "core/tools/fabric/finding.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kFewestHosts = 4;
constexpr double kMajority = 0.75;

// "node7 mlx5_0" is adapter "mlx5_0" of host "node7".
struct Adapter {
  std::string host;
  std::string rail;
};

Adapter adapter_of(const Endport& endport) {
  const std::size_t blank = endport.description.find(' ');
  if (blank == std::string::npos) return {endport.description, ""};
  return {endport.description.substr(0, blank), endport.description.substr(blank + 1)};
}

// The rail that most end ports of each switch are of; empty where there is no clear majority.
IdVector<SwitchId, std::string> rails_of_leaves(const Fabric& fabric) {
  IdVector<SwitchId, std::map<std::string, std::size_t>> votes(fabric.num_switches());
  IdVector<SwitchId, std::size_t> hosts(fabric.num_switches());
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    if (endport.leaf == kNoSwitch || is_aggregation_node(endport)) continue;
    ++hosts[endport.leaf];
    ++votes[endport.leaf][adapter_of(endport).rail];
  }
  IdVector<SwitchId, std::string> rails(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (const auto& [rail, count] : votes[s])
      if (hosts[s] >= kFewestHosts && static_cast<double>(count) >= kMajority * static_cast<double>(hosts[s]))
        rails[s] = rail;
  return rails;
}

}  // namespace

std::vector<Finding> find_crossed_rails(const Fabric& fabric) {
  const IdVector<SwitchId, std::string> rails = rails_of_leaves(fabric);
  std::map<std::string, std::vector<EndportId>> misplaced;  // by host
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    if (endport.leaf == kNoSwitch || is_aggregation_node(endport) || rails[endport.leaf].empty()) continue;
    const Adapter adapter = adapter_of(endport);
    if (adapter.rail != rails[endport.leaf]) misplaced[adapter.host].push_back(e);
  }
  std::vector<Finding> findings;
  for (const auto& [host, endports] : misplaced)
    for (const EndportId e : endports) {
      const Endport& endport = fabric.at(e);
      const std::string rail = adapter_of(endport).rail;
      const auto other =
          std::find_if(endports.begin(), endports.end(), [&](EndportId o) { return rails[fabric.at(o).leaf] == rail; });
      if (other == endports.end()) continue;  // it sits alone where it does not belong: nobody knows where it should
      const std::string at = port_name(fabric, endport.leaf, endport.leaf_port);
      const std::string expected = port_name(fabric, fabric.at(*other).leaf, fabric.at(*other).leaf_port);
      findings.push_back({"crossed rails", at, expected,
                          fmt::format("{} is on {}, among adapters {}; it belongs to {}", endport.description, at,
                                      rails[endport.leaf], expected)});
    }
  return findings;
}

}  // namespace espalier::tools
