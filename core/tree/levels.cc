// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/levels.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/parallel.h"
#include "core/fabric/connected_components.h"

namespace espalier {
namespace {

using Distances = IdVector<SwitchId, std::uint32_t>;

// Continues a breadth-first search from what `distance` already holds; `queue` has the switches to expand.
void spread(const Fabric& fabric, std::vector<SwitchId> queue, Distances& distance) {
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchId s = queue[head];
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
      if (!peer.is_switch() || distance[peer.as_switch()] != kFarAway) continue;
      distance[peer.as_switch()] = distance[s] + 1;
      queue.push_back(peer.as_switch());
    }
  }
}

// Ranks upwards what has no level yet, from the lowest id of each such component.
void fill_rest(const Fabric& fabric, Distances& level) {
  for (const SwitchId s : fabric.switches()) {
    if (level[s] != kFarAway) continue;
    level[s] = 0;
    spread(fabric, {s}, level);
  }
}

template <class Visit>
void for_each_neighbor(const Fabric& fabric, SwitchId s, Visit visit) {
  for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
    const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
    if (peer.is_switch() && peer.as_switch() != s) visit(peer.as_switch());
  }
}

}  // namespace

Distances distances(const Fabric& fabric, const std::vector<SwitchId>& from) {
  Distances distance(fabric.num_switches(), kFarAway);
  for (const SwitchId s : from) distance[s] = 0;
  spread(fabric, from, distance);
  return distance;
}

Distances levels_above(const Fabric& fabric, const std::vector<SwitchId>& leaves) {
  Distances level = distances(fabric, leaves);
  fill_rest(fabric, level);
  return level;
}

Distances levels_below(const Fabric& fabric, const std::vector<SwitchId>& roots) {
  Distances depth = distances(fabric, roots);
  // The deepest switch of each component becomes level 0.
  const auto component = connected_components(fabric);
  std::vector<std::uint32_t> deepest(fabric.num_switches(), 0);
  for (const SwitchId s : fabric.switches())
    if (depth[s] != kFarAway) deepest[component[s]] = std::max(deepest[component[s]], depth[s]);
  Distances level(fabric.num_switches(), kFarAway);
  for (const SwitchId s : fabric.switches())
    if (depth[s] != kFarAway) level[s] = deepest[component[s]] - depth[s];
  fill_rest(fabric, level);
  return level;
}

Distances raise_spines(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts, const Distances& level) {
  Distances same_level(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for_each_neighbor(fabric, s, [&](SwitchId other) { same_level[s] += level[other] == level[s] ? 1 : 0; });

  Distances raised = level;
  for (const SwitchId s : fabric.switches()) {
    bool lift = hosts[s] == 0 && same_level[s] > 0;
    for_each_neighbor(fabric, s, [&](SwitchId other) {
      lift = lift && level[other] <= level[s] && (level[other] < level[s] || same_level[other] < same_level[s]);
    });
    if (lift) ++raised[s];
  }
  return raised;
}

Distances depths_in_rows(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts, const Distances& level) {
  const auto for_each_in_row = [&](SwitchId s, auto visit) {
    if (hosts[s] > 0) return;
    for_each_neighbor(fabric, s, [&](SwitchId other) {
      if (hosts[other] == 0 && level[other] == level[s]) visit(other);
    });
  };
  Distances links(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) for_each_in_row(s, [&](SwitchId) { ++links[s]; });
  std::vector<SwitchId> middles;
  for (const SwitchId s : fabric.switches())
    if (links[s] > 0) middles.push_back(s);
  std::sort(middles.begin(), middles.end(),
            [&](SwitchId a, SwitchId b) { return std::pair(links[b], b) < std::pair(links[a], a); });

  Distances depth(fabric.num_switches(), 0);
  for (const SwitchId s : middles) depth[s] = kFarAway;
  std::vector<SwitchId> row;
  for (const SwitchId middle : middles) {
    if (depth[middle] != kFarAway) continue;
    depth[middle] = 0;
    row = {middle};
    for (std::size_t head = 0; head < row.size(); ++head)
      for_each_in_row(row[head], [&](SwitchId other) {
        if (depth[other] != kFarAway) return;
        depth[other] = depth[row[head]] + 1;
        row.push_back(other);
      });
  }
  return depth;
}

HostViews::HostViews(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts)
    : fabric_(&fabric), view_(fabric.num_switches()) {
  // All searches go over the same links: neighbors are listed once.
  std::vector<std::size_t> first{0};
  std::vector<SwitchId> neighbors;
  for (const SwitchId s : fabric.switches()) {
    for_each_neighbor(fabric, s, [&](SwitchId other) { neighbors.push_back(other); });
    first.push_back(neighbors.size());
  }
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    View& view = view_[i];
    Distances distance(fabric.num_switches(), kFarAway);
    std::vector<SwitchId> queue;
    queue.reserve(fabric.num_switches());
    queue.push_back(id_at<SwitchId>(i));
    distance[queue.front()] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (std::size_t j = first[index(queue[head])]; j < first[index(queue[head]) + 1]; ++j) {
        if (distance[neighbors[j]] != kFarAway) continue;
        distance[neighbors[j]] = distance[queue[head]] + 1;
        queue.push_back(neighbors[j]);
      }
    std::vector<std::uint64_t> histogram;
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (const SwitchId s : fabric.switches()) {
      if (distance[s] == kFarAway) continue;
      if (view.component == kNoSwitch) view.component = s;
      if (hosts[s] == 0) continue;
      if (histogram.size() <= distance[s]) histogram.resize(distance[s] + 1);
      histogram[distance[s]] += hosts[s];
      sum += std::uint64_t{distance[s]} * hosts[s];
      count += hosts[s];
    }
    if (count == 0) return;
    view.mean = static_cast<double>(sum) / static_cast<double>(count);
    view.most_frequent =
        static_cast<std::uint32_t>(std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
  });
}

// The switches that `wins` against the best value of their component, where `value` of a View is the smaller the better.
template <class Value, class Wins>
std::vector<SwitchId> HostViews::best_of_each_component(Value value, Wins wins) const {
  using V = decltype(value(view_.front()));
  std::vector<V> best(fabric_->num_switches(), std::numeric_limits<V>::max());
  for (const View& v : view_) best[index(v.component)] = std::min(best[index(v.component)], value(v));
  std::vector<SwitchId> roots;
  for (const SwitchId s : fabric_->switches()) {
    const View& v = view_[index(s)];
    if (v.most_frequent != kFarAway && wins(value(v), best[index(v.component)])) roots.push_back(s);
  }
  return roots;
}

std::vector<SwitchId> HostViews::statistical_roots() const {
  return best_of_each_component([](const View& v) { return v.most_frequent; },
                                [](std::uint32_t own, std::uint32_t best) { return own == best; });
}

std::vector<SwitchId> HostViews::central_roots(double slack) const {
  return best_of_each_component([](const View& v) { return v.mean; },
                                [&](double own, double best) { return own <= best + slack; });
}

}  // namespace espalier
