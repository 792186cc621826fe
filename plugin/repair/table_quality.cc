// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/table_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/walk.h"
#include "core/fabric/capacities.h"

namespace espalier {
namespace {

constexpr std::size_t kShifts = 512;  // about so many are counted, spread over all
constexpr std::uint32_t kPermutations = 128;
constexpr std::uint64_t kSeed = 1;

}  // namespace

double TableQuality::score() const { return std::cbrt(worst_shift * mean_shift * mean_random); }

std::string TableQuality::text() const {
  return fmt::format("worst shift {:.4g}, mean shift {:.4g}, random permutations {:.4g}", worst_shift, mean_shift,
                     mean_random);
}

TableQuality table_quality(const Fabric& fabric, const TableRows& tables, const std::vector<EndportId>& hosts,
                           LidUse use) {
  const HostRoutes routes(fabric, tables, hosts, std::move(use));
  // Odd, so that it shares no divisor with the sizes of most leaves and pods.
  const auto step = static_cast<std::uint32_t>(std::max<std::size_t>(1, hosts.size() / kShifts) | 1U);
  const RiskDistribution shifts = shift_risk(routes, step);
  return {shifts.max(), shifts.mean(), random_risk(routes, kPermutations, kSeed).mean()};
}

double known_flow_load(const Fabric& fabric, const TableRows& tables, std::span<const KnownFlow> flows) {
  const Capacities capacities(fabric);
  std::vector<double> loads(fabric.num_channels());
  for (const KnownFlow& flow : flows) {
    const Lid lid = fabric.at(flow.destination).lid;
    SwitchId at = fabric.at(flow.source).leaf;
    for (std::size_t steps = 0; at != kNoSwitch && lid != kNoLid && steps < fabric.num_switches(); ++steps) {
      const Step next = step(fabric, tables, at, lid);
      if (next.kind != Step::Kind::kForward) break;
      const ChannelId channel = fabric.channel(at, next.port);
      loads[index(channel)] += flow.weight * capacities.weight(channel);
      at = next.next;
    }
  }
  return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
}

double gain(std::span<const double> a, std::span<const double> b) {
  double left = 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > 0) left *= b[i] / a[i];
  return 1 - std::pow(left, 1 / static_cast<double>(a.size()));
}

}  // namespace espalier
