// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/group_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/sort_unique.h"

namespace espalier {
namespace {

constexpr float kMostTimes = 16;  // that a port is listed

// How often ports are listed that carry so much, in lowest terms.
std::vector<std::uint32_t> times_of(const std::vector<float>& shares) {
  const float most = *std::max_element(shares.begin(), shares.end());
  std::vector<std::uint32_t> times;
  std::uint32_t divisor = 0;
  for (const float share : shares) {
    times.push_back(std::max(1U, static_cast<std::uint32_t>(std::lround(kMostTimes * share / most))));
    divisor = std::gcd(divisor, times.back());
  }
  for (std::uint32_t& t : times) t /= divisor;
  return times;
}

}  // namespace

GroupPaths::GroupPaths(const Dragonfly& dragonfly, LocalTurns turns)
    : dragonfly_(dragonfly),
      capacities_(dragonfly.fabric()),
      num_groups_(dragonfly.num_groups()),
      toward_(dragonfly.fabric().num_switches()),
      within_(dragonfly.fabric().num_switches()),
      local_(dragonfly.fabric().num_switches()),
      takes_any_turn_(dragonfly.fabric().num_switches()) {
  for (const SwitchId s : dragonfly.fabric().switches())
    for (const PortNum p : dragonfly.fabric().ports(s))
      if (dragonfly.port_class(s, p) == PortClass::kLocal) local_[s].push_back(p);
  if (turns == LocalTurns::kAny)
    for (const SwitchId s : dragonfly.fabric().switches()) takes_any_turn_[s] = is_joined_to_most(s) ? 1 : 0;
  find_group_hops();
  parallel_for(num_groups_, [&](std::size_t group) {
    find_paths_within(group);
    find_paths_toward_others(group);
  });
}

void GroupPaths::find_group_hops() {
  group_hops_.assign(num_groups_ * num_groups_, kFar);
  std::vector<std::vector<std::uint32_t>> next_to(num_groups_);
  for (std::size_t a = 0; a < num_groups_; ++a)
    for (std::size_t b = 0; b < num_groups_; ++b)
      if (!dragonfly_.exits(a, b).empty()) next_to[a].push_back(static_cast<std::uint32_t>(b));
  std::vector<std::uint32_t> queue;
  for (std::size_t from = 0; from < num_groups_; ++from) {
    std::uint32_t* const hops = group_hops_.data() + from * num_groups_;
    hops[from] = 0;
    queue.assign(1, static_cast<std::uint32_t>(from));
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::uint32_t b : next_to[queue[i]])
        if (hops[b] == kFar) {
          hops[b] = hops[queue[i]] + 1;
          queue.push_back(b);
        }
  }
}

std::vector<std::uint32_t> GroupPaths::next_groups(std::size_t from, std::size_t to) const {
  std::vector<std::uint32_t> next;
  const std::uint32_t hops = group_hops(from, to);
  if (hops == 0 || hops == kFar) return next;
  for (std::size_t g = 0; g < num_groups_; ++g)
    if (group_hops(g, to) == hops - 1 && !dragonfly_.exits(from, g).empty())
      next.push_back(static_cast<std::uint32_t>(g));
  return next;
}

// To more than two thirds: in a grid, where two hops are common, a router is not.
bool GroupPaths::is_joined_to_most(SwitchId s) const {
  std::vector<SwitchId> neighbors;
  for (const PortNum port : local_[s]) neighbors.push_back(dragonfly_.fabric().peer(s, port).as_switch());
  sort_unique(neighbors);
  return 3 * neighbors.size() > 2 * (dragonfly_.routers(dragonfly_.group(s)).size() - 1);
}

void GroupPaths::add_nearer(SwitchId s, const std::vector<std::uint32_t>& distance, Row& row) const {
  const Fabric& fabric = dragonfly_.fabric();
  const auto peer = [&](SwitchId at, PortNum port) { return fabric.peer(at, port).as_switch(); };
  const auto distance_of = [&](SwitchId at) { return distance[dragonfly_.router(at)]; };
  const std::uint32_t here = distance_of(s);
  const bool may_turn = here == 1 || (here == 2 && takes_any_turn_[s] != 0);
  // How many of the turns that may follow after `port` are allowed: 2 all, 1 some, 0 none. The last hop makes no turn.
  const auto quality = [&](PortNum port) {
    const SwitchId next = peer(s, port);
    if (may_turn) return 2;
    std::size_t allowed = 0;
    std::size_t all = 0;
    for (const PortNum after : local_[next])
      if (distance_of(peer(next, after)) + 1 == distance_of(next)) {
        ++all;
        allowed += dragonfly_.local_turn_allowed(s, next, peer(next, after));
      }
    return allowed == all ? 2 : allowed > 0 ? 1 : 0;
  };
  int best = -1;
  const std::size_t begin = row.ports.size();
  for (const PortNum port : local_[s]) {
    if (distance_of(peer(s, port)) + 1 != here) continue;
    const int q = quality(port);
    if (q < best) continue;
    if (q > best) row.ports.resize(begin);
    best = q;
    row.ports.push_back(port);
  }
}

float GroupPaths::spread(SwitchId s, const std::vector<float>& width, std::size_t begin,
                         std::vector<PortNum>& ports) const {
  if (capacities_.all_are_one()) return 1;
  std::vector<float> shares;
  for (std::size_t i = begin; i < ports.size(); ++i) {
    const float own = capacities_.of(dragonfly_.fabric().channel(s, ports[i]));
    const bool is_local = dragonfly_.port_class(s, ports[i]) == PortClass::kLocal;
    const SwitchId next = dragonfly_.fabric().peer(s, ports[i]).as_switch();
    shares.push_back(is_local ? std::min(own, width[dragonfly_.router(next)]) : own);
  }
  const std::vector<std::uint32_t> times = times_of(shares);
  const std::size_t end = ports.size();
  for (std::uint32_t t = 1; t < *std::max_element(times.begin(), times.end()); ++t)
    for (std::size_t i = begin; i < end; ++i)
      if (t < times[i - begin]) ports.push_back(ports[i]);
  return std::accumulate(shares.begin(), shares.end(), 0.0F);
}

std::vector<std::uint32_t> GroupPaths::local_hops(std::size_t group, std::vector<SwitchId>& queue) const {
  std::vector<std::uint32_t> hops(dragonfly_.routers(group).size(), kFar);
  for (const SwitchId goal : queue) hops[dragonfly_.router(goal)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const PortNum port : local_[queue[i]]) {
      const SwitchId next = dragonfly_.fabric().peer(queue[i], port).as_switch();
      if (hops[dragonfly_.router(next)] != kFar) continue;
      hops[dragonfly_.router(next)] = hops[dragonfly_.router(queue[i])] + 1;
      queue.push_back(next);
    }
  return hops;
}

void GroupPaths::find_paths_within(std::size_t group) {
  const std::vector<SwitchId>& routers = dragonfly_.routers(group);
  std::vector<float> width(routers.size());
  std::vector<SwitchId> queue;
  for (const SwitchId goal : routers) {
    queue.assign(1, goal);
    const std::vector<std::uint32_t> distance = local_hops(group, queue);
    width[dragonfly_.router(goal)] = std::numeric_limits<float>::infinity();
    for (const SwitchId s : queue) {
      if (s == goal) continue;
      const std::size_t begin = within_[s].ports.size();
      add_nearer(s, distance, within_[s]);
      width[dragonfly_.router(s)] = spread(s, width, begin, within_[s].ports);
    }
    for (const SwitchId s : routers) within_[s].close();
  }
}

void GroupPaths::find_paths_toward_others(std::size_t group) {
  const std::vector<SwitchId>& routers = dragonfly_.routers(group);
  std::vector<float> width(routers.size());
  std::vector<SwitchId> queue;
  for (std::size_t to = 0; to < num_groups_; ++to) {
    const auto exits = dragonfly_.exits(group, to);
    queue.clear();
    for (const Exit& exit : exits)
      if (queue.empty() || queue.back() != exit.router) queue.push_back(exit.router);
    const std::vector<std::uint32_t> distance = local_hops(group, queue);
    for (const SwitchId s : queue) {
      const std::size_t begin = toward_[s].ports.size();
      if (distance[dragonfly_.router(s)] > 0) add_nearer(s, distance, toward_[s]);
      for (const Exit& exit : exits)
        if (exit.router == s) toward_[s].ports.push_back(exit.port);
      width[dragonfly_.router(s)] = spread(s, width, begin, toward_[s].ports);
    }
    for (const SwitchId s : routers) toward_[s].close();
  }
}

}  // namespace espalier
