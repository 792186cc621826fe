// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The all-to-all part of congestion.h. All hosts of a leaf take the same way to a destination, so one walk per (leaf,
// destination) stands for all of them, and sources are counted as sets of leaves.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <bit>

#include "core/analysis/congestion.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// The switches with hosts, and how many each has.
struct Leaves {
  std::vector<SwitchId> id;
  std::vector<std::uint32_t> num_hosts;

  explicit Leaves(const HostRoutes& routes) {
    std::vector<std::uint32_t> count(routes.num_switches(), 0);
    for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank)
      if (routes.leaf(rank) != kNoSwitch) ++count[index(routes.leaf(rank))];
    for (std::size_t s = 0; s < count.size(); ++s) {
      if (count[s] == 0) continue;
      id.push_back(id_at<SwitchId>(s));
      num_hosts.push_back(count[s]);
    }
  }
  // 64-bit words of a set of leaves.
  [[nodiscard]] std::size_t num_words() const { return (id.size() + 63) / 64; }
};

// What one thread has counted, per channel. Sums and unions: the order does not matter.
struct Load {
  std::vector<std::uint64_t> flows;
  std::vector<std::uint32_t> destinations;
  std::vector<std::uint64_t> source_leaves;  // [channel][word]
  std::vector<std::uint32_t> last_rank;      // the destination that was counted last, + 1
  std::vector<std::uint64_t> reached;        // per leaf: destinations that it reaches
  std::uint64_t unrouted = 0;
  std::uint64_t max_host_flows = 0;  // into one host

  Load(std::size_t num_channels, const Leaves& leaves)
      : flows(num_channels),
        destinations(num_channels),
        source_leaves(num_channels * leaves.num_words()),
        last_rank(num_channels),
        reached(leaves.id.size()) {}

  void add(const HostRoutes& routes, const Leaves& leaves, std::size_t rank) {
    const std::size_t words = leaves.num_words();
    std::uint64_t host_flows = 0;
    for (std::size_t l = 0; l < leaves.id.size(); ++l) {
      if (!routes.follow(leaves.id[l], rank, [](ChannelId) {})) continue;
      const std::uint32_t weight = leaves.num_hosts[l] - (leaves.id[l] == routes.leaf(rank) ? 1U : 0U);
      host_flows += weight;
      ++reached[l];
      routes.follow(leaves.id[l], rank, [&](ChannelId channel) {
        const std::size_t c = index(channel);
        flows[c] += weight;
        source_leaves[c * words + l / 64] |= std::uint64_t{1} << (l % 64);
        if (last_rank[c] != rank + 1) ++destinations[c];
        last_rank[c] = static_cast<std::uint32_t>(rank) + 1;
      });
    }
    unrouted += routes.num_hosts() - 1 - host_flows;
    max_host_flows = std::max(max_host_flows, host_flows);
  }

  void merge(const Load& other) {
    for (std::size_t c = 0; c < flows.size(); ++c) {
      flows[c] += other.flows[c];
      destinations[c] += other.destinations[c];
    }
    for (std::size_t w = 0; w < source_leaves.size(); ++w) source_leaves[w] |= other.source_leaves[w];
    for (std::size_t l = 0; l < reached.size(); ++l) reached[l] += other.reached[l];
    unrouted += other.unrouted;
    max_host_flows = std::max(max_host_flows, other.max_host_flows);
  }
};

std::uint32_t count_sources(const Leaves& leaves, std::span<const std::uint64_t> set) {
  std::uint32_t hosts = 0;
  for (std::size_t w = 0; w < set.size(); ++w)
    for (std::uint64_t bits = set[w]; bits != 0; bits &= bits - 1)
      hosts += leaves.num_hosts[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
  return hosts;
}

// The most flows out of one host: its leaf's destinations without itself.
std::uint64_t max_flows_out(const HostRoutes& routes, const Leaves& leaves, const std::vector<std::uint64_t>& reached) {
  std::uint64_t most = 0;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank) {
    const auto leaf = std::lower_bound(leaves.id.begin(), leaves.id.end(), routes.leaf(rank));
    if (leaf == leaves.id.end()) continue;  // on no switch
    const bool itself = routes.follow(*leaf, rank, [](ChannelId) {});
    most = std::max(most, reached[static_cast<std::size_t>(leaf - leaves.id.begin())] - (itself ? 1U : 0U));
  }
  return most;
}

}  // namespace

AllToAllRisk all_to_all_risk(const HostRoutes& routes) {
  const Leaves leaves(routes);
  const std::size_t words = leaves.num_words();
  tbb::enumerable_thread_specific<Load> loads([&] { return Load(routes.num_channels(), leaves); });
  parallel_blocks(routes.num_hosts(), 1, [&](std::size_t first, std::size_t last) {
    Load& load = loads.local();
    for (std::size_t rank = first; rank < last; ++rank) load.add(routes, leaves, rank);
  });
  Load total(routes.num_channels(), leaves);
  for (const Load& load : loads) total.merge(load);

  AllToAllRisk risk;
  risk.unrouted = total.unrouted;
  for (std::size_t c = 0; c < routes.num_channels(); ++c) {
    risk.xi_switches = std::max(risk.xi_switches, total.flows[c]);
    if (total.destinations[c] <= risk.mu) continue;
    const std::uint32_t sources = count_sources(leaves, {total.source_leaves.data() + c * words, words});
    risk.mu = std::max(risk.mu, std::min(sources, total.destinations[c]));
  }
  risk.xi = std::max({risk.xi_switches, total.max_host_flows, max_flows_out(routes, leaves, total.reached)});
  return risk;
}

}  // namespace espalier
