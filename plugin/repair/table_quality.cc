// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/table_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/routes/host_routes.h"

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

TableQuality table_quality(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts) {
  const HostRoutes routes(fabric, tables, hosts);
  // Odd, so that it shares no divisor with the sizes of most leaves and pods.
  const auto step = static_cast<std::uint32_t>(std::max<std::size_t>(1, hosts.size() / kShifts) | 1U);
  const RiskDistribution shifts = shift_risk(routes, step);
  return {shifts.max(), shifts.mean(), random_risk(routes, kPermutations, kSeed).mean()};
}

double gain(const TableQuality& a, const TableQuality& b) {
  return a.score() == 0 ? 0 : (a.score() - b.score()) / a.score();
}

}  // namespace espalier
