// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/channel_load.h"

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

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
// One leaf is enough: all its hosts take the same way.
template <class Visit>
void for_each_way(const HostRoutes& routes, const std::map<SwitchId, Leaf>& leaves, std::size_t rank, Visit&& visit) {
  for (const auto& [id, leaf] : leaves) {
    if (id == routes.leaf(rank)) continue;  // crosses no channel
    if (routes.follow(id, rank, [](ChannelId) {})) visit(id, leaf);
  }
}

ChannelLoads all_to_all_loads(const HostRoutes& routes) {
  const std::map<SwitchId, Leaf> leaves = leaves_of(routes);
  struct Partial {
    std::vector<std::uint64_t> flows;
    std::uint64_t arrived = 0;
  };
  tbb::enumerable_thread_specific<Partial> partials([&] {
    return Partial{std::vector<std::uint64_t>(routes.num_channels()), 0};
  });
  parallel_for(routes.num_hosts(), [&](std::size_t rank) {
    Partial& partial = partials.local();
    const auto own = leaves.find(routes.leaf(rank));
    if (own != leaves.end() && routes.follow(own->first, rank, [](ChannelId) {}))
      partial.arrived += own->second.num_hosts - 1;
    for_each_way(routes, leaves, rank, [&](SwitchId id, const Leaf& leaf) {
      partial.arrived += leaf.num_hosts;
      routes.follow(id, rank, [&](ChannelId c) { partial.flows[index(c)] += leaf.num_hosts; });
    });
  });
  ChannelLoads loads{std::vector<std::uint64_t>(routes.num_channels()),
                     std::vector<std::uint32_t>(routes.num_channels()), 0};
  const std::uint64_t n = routes.num_hosts();
  loads.unrouted = n == 0 ? 0 : n * (n - 1);
  for (const Partial& partial : partials) {
    for (std::size_t c = 0; c < loads.flows.size(); ++c) loads.flows[c] += partial.flows[c];
    loads.unrouted -= partial.arrived;
  }
  return loads;
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
    std::fill(current.begin(), current.end(), 0U);
    for (std::size_t source = 0; source < destination.size(); ++source) {
      const std::size_t to = destination[source];
      if (to == source) continue;
      if (routes.follow(routes.leaf(source), to, [&](ChannelId c) { ++current[index(c)]; })) continue;
      routes.follow(routes.leaf(source), to, [&](ChannelId c) { --current[index(c)]; });
      ++unrouted;
    }
    for (std::size_t c = 0; c < current.size(); ++c) raise(c, current[c], i);
  }
  void raise(std::size_t c, std::uint32_t count, std::uint32_t i) {
    if (count < flows[c] || (count == flows[c] && (count == 0 || i >= number[c]))) return;
    flows[c] = count;
    number[c] = i;
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

std::vector<std::uint32_t> permutation(std::size_t num_hosts, const TrafficPattern& pattern, std::uint64_t seed,
                                       std::uint32_t number) {
  check(pattern.kind != TrafficPattern::Kind::kAllToAll, "all-to-all is no permutation");
  if (pattern.kind == TrafficPattern::Kind::kRandomPermutations) return random_permutation(num_hosts, seed, number);
  return shift_permutation(num_hosts, shift_distances(num_hosts, pattern.parameter).at(number));
}

ChannelLoads channel_loads(const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed) {
  if (pattern.kind == TrafficPattern::Kind::kAllToAll) return all_to_all_loads(routes);
  const bool shifts = pattern.kind == TrafficPattern::Kind::kShifts;
  const std::vector<std::uint32_t> distances =
      shifts ? shift_distances(routes.num_hosts(), pattern.parameter) : std::vector<std::uint32_t>{};
  const std::size_t count = shifts ? distances.size() : pattern.parameter;
  tbb::enumerable_thread_specific<Worst> partials([&] { return Worst(routes.num_channels()); });
  parallel_for(count, [&](std::size_t i) {
    const auto number = static_cast<std::uint32_t>(i);
    partials.local().add(routes,
                         shifts ? shift_permutation(routes.num_hosts(), distances[i])
                                : random_permutation(routes.num_hosts(), seed, number),
                         number);
  });
  Worst worst(routes.num_channels());
  for (const Worst& partial : partials) {
    for (std::size_t c = 0; c < worst.flows.size(); ++c) worst.raise(c, partial.flows[c], partial.number[c]);
    worst.unrouted += partial.unrouted;
  }
  return {{worst.flows.begin(), worst.flows.end()}, std::move(worst.number), worst.unrouted};
}

std::vector<std::vector<ChannelUse>> all_to_all_uses(const HostRoutes& routes, std::span<const ChannelId> channels) {
  constexpr std::uint32_t kNotAsked = 0xFFFFFFFF;
  std::vector<std::uint32_t> slot(routes.num_channels(), kNotAsked);
  for (std::size_t i = 0; i < channels.size(); ++i) slot[index(channels[i])] = static_cast<std::uint32_t>(i);
  const std::map<SwitchId, Leaf> leaves = leaves_of(routes);
  std::vector<std::vector<ChannelUse>> uses(channels.size());
  for (std::uint32_t rank = 0; rank < routes.num_hosts(); ++rank)
    for_each_way(routes, leaves, rank, [&](SwitchId id, const Leaf& leaf) {
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
