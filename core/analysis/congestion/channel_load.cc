// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/channel_load.h"

#include <algorithm>
#include <map>

#include "core/analysis/congestion/congestion.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kPermutationsAtOnce = 8;  // permutations in one block at least: a block has counts of its own

// The switches with hosts: lowest rank and number of hosts, ascending by switch.
struct Leaf {
  std::uint32_t first_rank = 0;
  std::uint32_t num_hosts = 0;
};

std::map<SwitchId, Leaf> leaves_of(const HostRoutes& routes) {
  std::map<SwitchId, Leaf> leaves;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank) {
    if (routes.leaf(rank) == kNoSwitch) continue;
    const auto it = leaves.try_emplace(routes.leaf(rank), Leaf{static_cast<std::uint32_t>(rank), 0}).first;
    ++it->second.num_hosts;
  }
  return leaves;
}

// visit(leaf, its data, rank, number of sources) for each (leaf, destination) with a flow between them that arrives.
// One leaf is enough: all its hosts take the same path.
template <class Visit>
void for_each_path(const HostRoutes& routes, const std::map<SwitchId, Leaf>& leaves, std::size_t rank, Visit&& visit) {
  for (const auto& [id, leaf] : leaves) {
    if (id == routes.leaf(rank)) continue;  // crosses no channel
    if (routes.follow(id, rank, [](ChannelId) {})) visit(id, leaf);
  }
}

// The most flows of each channel so far and the first permutation that had so many: merging takes the larger, then the
// earlier, so the order of merging does not matter.
struct Worst {
  std::vector<std::uint32_t> flows;
  std::vector<std::uint32_t> number;
  std::vector<std::uint32_t> current;
  std::uint64_t unrouted = 0;

  explicit Worst(std::size_t channels) : flows(channels), number(channels), current(channels) {}

  void add(const HostRoutes& routes, std::span<const std::uint32_t> destination, std::uint32_t i) {
    unrouted += count_flows(routes, destination, current);
    for (std::size_t c = 0; c < current.size(); ++c) raise(c, current[c], i);
  }
  void raise(std::size_t c, std::uint32_t count, std::uint32_t i) {
    if (count < flows[c] || (count == flows[c] && (count == 0 || i >= number[c]))) return;
    flows[c] = count;
    number[c] = i;
  }
  void join(const Worst& other) {
    for (std::size_t c = 0; c < flows.size(); ++c) raise(c, other.flows[c], other.number[c]);
    unrouted += other.unrouted;
  }
};

}  // namespace

std::uint64_t ChannelLoads::max() const { return flows.empty() ? 0 : *std::max_element(flows.begin(), flows.end()); }

std::vector<ChannelId> ChannelLoads::fullest(std::size_t count) const {
  std::vector<ChannelId> channels;
  for (std::size_t c = 0; c < flows.size(); ++c)
    if (flows[c] > 0) channels.push_back(id_at<ChannelId>(c));
  std::stable_sort(channels.begin(), channels.end(),
                   [&](ChannelId a, ChannelId b) { return flows[index(a)] > flows[index(b)]; });
  channels.resize(std::min(count, channels.size()));
  return channels;
}

ChannelLoads channel_loads(const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed,
                           Progress* progress) {
  if (pattern.kind == TrafficPattern::Kind::kAllToAll) {
    AllToAllRisk all = all_to_all_risk(routes, progress);
    return {std::move(all.channel_flows), std::vector<std::uint32_t>(routes.num_channels()), all.unrouted};
  }
  const std::size_t count = num_permutations(routes.num_hosts(), pattern);
  begin(progress, count);
  Worst worst = parallel_reduce(
      count, kPermutationsAtOnce, Worst(routes.num_channels()),
      [&](std::size_t first, std::size_t last, Worst part) {
        for (std::size_t i = first; i < last; ++i) {
          const auto number = static_cast<std::uint32_t>(i);
          part.add(routes, permutation(routes.num_hosts(), pattern, seed, number), number);
          advance(progress);
        }
        return part;
      },
      [](Worst a, const Worst& b) {
        a.join(b);
        return a;
      });
  return {{worst.flows.begin(), worst.flows.end()}, std::move(worst.number), worst.unrouted};
}

std::vector<std::vector<ChannelUse>> all_to_all_uses(const HostRoutes& routes, std::span<const ChannelId> channels) {
  constexpr std::uint32_t kNotAsked = 0xFFFFFFFF;
  std::vector<std::uint32_t> slot(routes.num_channels(), kNotAsked);
  for (std::size_t i = 0; i < channels.size(); ++i) slot[index(channels[i])] = static_cast<std::uint32_t>(i);
  const std::map<SwitchId, Leaf> leaves = leaves_of(routes);
  std::vector<std::vector<ChannelUse>> uses(channels.size());
  for (std::uint32_t rank = 0; rank < routes.num_hosts(); ++rank)
    for_each_path(routes, leaves, rank, [&](SwitchId id, const Leaf& leaf) {
      routes.follow(id, rank, [&](ChannelId c) {
        if (slot[index(c)] != kNotAsked) uses[slot[index(c)]].push_back({id, leaf.first_rank, rank, leaf.num_hosts});
      });
    });
  return uses;
}

std::vector<ChannelUse> permutation_uses(const HostRoutes& routes, ChannelId channel,
                                         std::span<const std::uint32_t> destination) {
  check(destination.size() == routes.num_hosts(), "permutation_uses: a permutation of other hosts");
  std::vector<ChannelUse> uses;
  for (std::uint32_t source = 0; source < destination.size(); ++source) {
    const std::uint32_t to = destination[source];
    bool crossed = false;
    const bool arrives =
        to != source && routes.follow(routes.leaf(source), to, [&](ChannelId c) { crossed |= c == channel; });
    if (arrives && crossed) uses.push_back({routes.leaf(source), source, to, 1});
  }
  return uses;
}

}  // namespace espalier
