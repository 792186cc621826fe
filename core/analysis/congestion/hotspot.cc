// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/hotspot.h"

#include <algorithm>
#include <vector>

#include "core/analysis/congestion/flow_paths.h"
#include "core/analysis/congestion/source_groups.h"

namespace espalier {
namespace {

constexpr std::size_t kHostsAtOnce = 16;  // hosts in one block at least: a block has counts of its own

// add(paths, flows, i) adds the flows of the i-th hotspot to `flows` and returns what does not arrive.
template <class Add>
std::vector<PhaseRisk> loads_of(const HostRoutes& routes, std::size_t count, Progress* progress, const Add& add) {
  std::vector<PhaseRisk> loads(count);
  begin(progress, count);
  parallel_blocks(count, kHostsAtOnce, [&](std::size_t first, std::size_t last) {
    FlowPaths paths(routes);
    std::vector<std::uint32_t> flows(routes.num_channels());
    for (std::size_t i = first; i < last; ++i) {
      std::fill(flows.begin(), flows.end(), 0U);
      loads[i].unrouted = add(paths, flows, i);
      if (!flows.empty()) loads[i].mu = *std::max_element(flows.begin(), flows.end());
      advance(progress);
    }
  });
  return loads;
}

}  // namespace

RiskDistribution scatter_load(const HostRoutes& routes, Progress* progress) {
  const SourceGroups sources(routes);
  const std::uint32_t shares = routes.shares_per_flow();
  std::vector<std::uint32_t> to_itself(routes.num_hosts());  // what would arrive of that
  const std::vector<PhaseRisk> loads = loads_of(
      routes, sources.groups.size(), progress, [&](FlowPaths& paths, std::vector<std::uint32_t>& flows, std::size_t g) {
        std::uint64_t unrouted = 0;
        for (std::uint32_t to = 0; to < routes.num_hosts(); ++to) {
          const std::uint32_t arrived =
              paths.visit(sources.groups[g].rank, to, [&](ChannelId c, auto part) { flows[index(c)] += part; });
          if (sources.of_rank[to] == g) to_itself[to] = arrived;
          unrouted += shares - arrived;
        }
        return unrouted;
      });
  RiskDistribution result{{}, 0, shares};
  for (std::uint32_t rank = 0; rank < routes.num_hosts(); ++rank) {
    const std::uint32_t group = sources.of_rank[rank];
    if (group == SourceGroups::kNone) {
      result.mu.push_back(0);
      result.unrouted += std::uint64_t{shares} * (routes.num_hosts() - 1);
      continue;
    }
    result.mu.push_back(loads[group].mu);
    result.unrouted += loads[group].unrouted - (shares - to_itself[rank]);
  }
  return result;
}

RiskDistribution gather_load(const HostRoutes& routes, Progress* progress) {
  const SourceGroups sources(routes);
  const std::uint32_t shares = routes.shares_per_flow();
  const std::vector<PhaseRisk> loads = loads_of(
      routes, routes.num_hosts(), progress, [&](FlowPaths& paths, std::vector<std::uint32_t>& flows, std::size_t rank) {
        const auto to = static_cast<std::uint32_t>(rank);
        std::uint64_t unrouted = std::uint64_t{shares} * (routes.num_hosts() - 1);
        for (std::size_t g = 0; g < sources.groups.size(); ++g) {
          const SourceGroup& group = sources.groups[g];
          const std::uint32_t arrived = paths.visit(
              group.rank, to, [&](ChannelId c, std::uint32_t part) { flows[index(c)] += part * group.num_hosts; });
          unrouted -= std::uint64_t{arrived} * (group.num_hosts - (sources.of_rank[to] == g ? 1U : 0U));
        }
        return unrouted;
      });
  RiskDistribution result{{}, 0, shares};
  for (const PhaseRisk& load : loads) {
    result.mu.push_back(load.mu);
    result.unrouted += load.unrouted;
  }
  return result;
}

}  // namespace espalier
