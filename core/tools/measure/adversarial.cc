// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/adversarial.h"

#include <fmt/format.h>

#include "core/dragonfly/detect.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

using PatternKind = TrafficPattern::Kind;

// Of the ranks of each group, or each switch with hosts, those to the N-th after it.
void add_flows(const std::vector<std::vector<std::uint32_t>>& places, std::size_t shift, double rate,
               std::vector<SpreadFlow>& flows) {
  for (std::size_t i = 0; i < places.size() && rate > 0; ++i)
    flows.push_back({places[i], places[(i + shift) % places.size()], rate});
}

}  // namespace

std::vector<SpreadFlow> adversarial_flows(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                          const TrafficPattern& pattern) {
  Result<Dragonfly> found = detect_dragonfly(fabric);
  if (!found)
    found.error().advice = fmt::format("{} is traffic between groups: choose another pattern", pattern.text());
  const Dragonfly dragonfly = value_or_refuse(std::move(found));
  IdVector<SwitchId, std::vector<std::uint32_t>> at(fabric.num_switches());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (const SwitchId s = fabric.at(hosts[rank]).leaf; s != kNoSwitch)
      at[s].push_back(static_cast<std::uint32_t>(rank));
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<std::vector<std::vector<std::uint32_t>>> routers;  // of each group
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    std::vector<std::uint32_t> all;
    std::vector<std::vector<std::uint32_t>> each;
    for (const SwitchId s : dragonfly.routers(g)) {
      if (at[s].empty()) continue;
      all.insert(all.end(), at[s].begin(), at[s].end());
      each.push_back(at[s]);
    }
    if (all.empty()) continue;
    groups.push_back(std::move(all));
    routers.push_back(std::move(each));
  }
  const double global = pattern.kind == PatternKind::kAdversarialGlobal  ? 1
                        : pattern.kind == PatternKind::kAdversarialLocal ? 0
                                                                         : pattern.percent / 100.0;
  const std::uint32_t local = pattern.kind == PatternKind::kAdversarialMixed ? pattern.local : pattern.parameter;
  std::vector<SpreadFlow> flows;
  add_flows(groups, pattern.parameter, global, flows);
  for (const auto& group : routers) add_flows(group, local, 1 - global, flows);
  return flows;
}

}  // namespace espalier::tools
