// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The all-to-all part of congestion.h. All hosts of a leaf take the same path to a destination, unless a table names the
// LID of each flow, so one walk per (leaf, destination) stands for all of them.
#include <algorithm>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/flow_paths.h"
#include "core/analysis/congestion/source_groups.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kEndsAtOnce = 32;  // destinations or sources in one block at least: a block has counts of its own

// What goes to some of the destinations. Sums: the order does not matter.
struct Arrivals {
  std::vector<std::uint64_t> flows;   // per channel
  PeakSum destinations;               // per channel
  std::vector<std::uint64_t> from;    // per group: what arrives of one host, a flow to itself included
  std::vector<std::uint32_t> itself;  // per destination: what would arrive of a flow to itself
  std::uint64_t arrived = 0;
  std::uint64_t most_into_host = 0;

  Arrivals(const HostRoutes& routes, const SourceGroups& sources)
      : flows(routes.num_channels()),
        destinations(routes.num_channels()),
        from(sources.groups.size()),
        itself(routes.num_hosts()) {}

  void add(FlowPaths& paths, const SourceGroups& sources, std::uint32_t to) {
    std::uint64_t into = 0;
    for (std::size_t g = 0; g < sources.groups.size(); ++g) {
      const SourceGroup& group = sources.groups[g];
      const std::uint32_t arrives = paths.visit(group.rank, to, [&](ChannelId c, std::uint32_t shares) {
        flows[index(c)] += std::uint64_t{shares} * group.num_hosts;
        destinations.add(to, c, shares);
      });
      const bool own = sources.of_rank[to] == g;
      if (own) itself[to] = arrives;
      from[g] += arrives;
      into += std::uint64_t{arrives} * (group.num_hosts - (own ? 1U : 0U));
    }
    arrived += into;
    most_into_host = std::max(most_into_host, into);
  }

  void join(const Arrivals& other) {
    for (std::size_t c = 0; c < flows.size(); ++c) flows[c] += other.flows[c];
    destinations.join(other.destinations);
    for (std::size_t g = 0; g < from.size(); ++g) from[g] += other.from[g];
    for (std::size_t rank = 0; rank < itself.size(); ++rank) itself[rank] += other.itself[rank];
    arrived += other.arrived;
    most_into_host = std::max(most_into_host, other.most_into_host);
  }
};

Arrivals count_arrivals(const HostRoutes& routes, const SourceGroups& sources, Progress* progress) {
  return parallel_reduce(
      routes.num_hosts(), kEndsAtOnce, Arrivals(routes, sources),
      [&](std::size_t first, std::size_t last, Arrivals arrivals) {
        FlowPaths paths(routes);
        for (std::size_t to = first; to < last; ++to) arrivals.add(paths, sources, static_cast<std::uint32_t>(to));
        advance(progress, last - first);
        return arrivals;
      },
      [](Arrivals a, const Arrivals& b) {
        a.join(b);
        return a;
      });
}

// src_p of each channel.
PeakSum count_sources(const HostRoutes& routes, const SourceGroups& sources, Progress* progress) {
  return parallel_reduce(
      sources.groups.size(), kEndsAtOnce, PeakSum(routes.num_channels()),
      [&](std::size_t first, std::size_t last, PeakSum sum) {
        FlowPaths paths(routes);
        for (std::size_t g = first; g < last; ++g)
          for (std::size_t to = 0; to < routes.num_hosts(); ++to) {
            const SourceGroup& group = sources.groups[g];
            paths.visit(group.rank, to, [&](ChannelId c, std::uint32_t shares) {
              sum.add(static_cast<std::uint32_t>(g), c, shares, group.num_hosts);
            });
          }
        advance(progress, last - first);
        return sum;
      },
      [](PeakSum a, const PeakSum& b) {
        a.join(b);
        return a;
      });
}

// The most flows out of one host.
std::uint64_t most_out_of_host(const SourceGroups& sources, const Arrivals& arrivals) {
  std::uint64_t most = 0;
  for (std::size_t rank = 0; rank < sources.of_rank.size(); ++rank)
    if (const std::uint32_t group = sources.of_rank[rank]; group != SourceGroups::kNone)
      most = std::max(most, arrivals.from[group] - arrivals.itself[rank]);
  return most;
}

}  // namespace

AllToAllRisk all_to_all_risk(const HostRoutes& routes, Progress* progress) {
  const SourceGroups sources(routes);
  begin(progress, routes.num_hosts() + sources.groups.size());
  Arrivals arrivals = count_arrivals(routes, sources, progress);
  const PeakSum src = count_sources(routes, sources, progress);

  AllToAllRisk risk;
  const std::uint64_t n = routes.num_hosts();
  risk.unrouted = (n == 0 ? 0 : n * (n - 1)) * routes.shares_per_flow() - arrivals.arrived;
  for (std::size_t c = 0; c < routes.num_channels(); ++c) {
    risk.xi_switches = std::max(risk.xi_switches, arrivals.flows[c]);
    risk.mu = std::max(risk.mu, std::min(src.at(c), arrivals.destinations.at(c)));
  }
  risk.xi = std::max({risk.xi_switches, arrivals.most_into_host, most_out_of_host(sources, arrivals)});
  risk.channel_flows = std::move(arrivals.flows);
  return risk;
}

}  // namespace espalier
