// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/shared_links.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// The routes of one host, one for each possible other end: a path, who is at the other end, and how many hosts are
// there.
struct Paths {
  struct Path {
    std::size_t end = 0;      // what is equal at a's and b's paths means the same other end
    std::uint32_t hosts = 0;  // hosts at that end
    std::size_t first = 0;    // into channels
    std::size_t last = 0;
  };
  std::vector<Path> paths;
  std::vector<ChannelId> channels;

  // Left out if it does not arrive or crosses nothing.
  void add(const HostRoutes& routes, SwitchId from, std::size_t to, std::size_t end, std::uint32_t hosts) {
    const std::size_t first = channels.size();
    const bool arrives = routes.follow(from, to, [&](ChannelId c) { channels.push_back(c); });
    if (arrives && channels.size() > first)
      paths.push_back({end, hosts, first, channels.size()});
    else
      channels.resize(first);
  }
};

std::map<SwitchId, std::uint32_t> hosts_of_leaves(const HostRoutes& routes) {
  std::map<SwitchId, std::uint32_t> count;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank)
    if (routes.leaf(rank) != kNoSwitch) ++count[routes.leaf(rank)];
  return count;
}

// Pairs (x, y), x != y, of which a's path to x and b's path to y have a channel in common.
std::uint64_t count_collisions(const Paths& a, const Paths& b) {
  return parallel_reduce(
      a.paths.size(), 1, std::uint64_t{0},
      [&](std::size_t first, std::size_t last, std::uint64_t count) {
        for (std::size_t i = first; i < last; ++i) {
          const Paths::Path& x = a.paths[i];
          const auto own = a.channels.begin();
          for (const Paths::Path& y : b.paths) {
            const bool collide =
                std::any_of(b.channels.begin() + y.first, b.channels.begin() + y.last,
                            [&](ChannelId c) { return std::find(own + x.first, own + x.last, c) != own + x.last; });
            if (collide) count += std::uint64_t{x.hosts} * (y.hosts - (x.end == y.end ? 1U : 0U));
          }
        }
        return count;
      },
      std::plus<>());
}

SharedLinks share(const HostRoutes& routes, const Paths& a, const Paths& b) {
  std::map<ChannelId, SharedChannel> by_channel;
  for (const Paths::Path& path : a.paths)
    for (std::size_t i = path.first; i < path.last; ++i) by_channel[a.channels[i]].flows_a += path.hosts;
  for (const Paths::Path& path : b.paths)
    for (std::size_t i = path.first; i < path.last; ++i) by_channel[b.channels[i]].flows_b += path.hosts;
  SharedLinks result;
  for (auto& [channel, shared] : by_channel) {
    shared.channel = channel;
    if (shared.flows_a > 0 && shared.flows_b > 0) result.channels.push_back(shared);
  }
  std::stable_sort(result.channels.begin(), result.channels.end(), [](const SharedChannel& x, const SharedChannel& y) {
    return std::min(x.flows_a, x.flows_b) > std::min(y.flows_a, y.flows_b);
  });
  const std::uint64_t n = routes.num_hosts();
  result.num_pairs = (n - 1) * (n - 1) - (n - 2);  // x = y may be any host but a and b
  result.num_colliding = count_collisions(a, b);
  return result;
}

void check_ranks(const HostRoutes& routes, std::size_t a, std::size_t b) {
  check(a != b && a < routes.num_hosts() && b < routes.num_hosts(), "shared links of which two hosts?");
}

}  // namespace

SharedLinks links_shared_to(const HostRoutes& routes, std::size_t a, std::size_t b) {
  check_ranks(routes, a, b);
  Paths to_a;
  Paths to_b;
  for (const auto& [leaf, hosts] : hosts_of_leaves(routes)) {
    to_a.add(routes, leaf, a, index(leaf), hosts);
    to_b.add(routes, leaf, b, index(leaf), hosts);
  }
  return share(routes, to_a, to_b);
}

SharedLinks links_shared_from(const HostRoutes& routes, std::size_t a, std::size_t b) {
  check_ranks(routes, a, b);
  Paths from_a;
  Paths from_b;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank) {
    from_a.add(routes, routes.leaf(a), rank, rank, 1);
    from_b.add(routes, routes.leaf(b), rank, rank, 1);
  }
  return share(routes, from_a, from_b);
}

}  // namespace espalier
