// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/levels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "core/fabric/connectivity/connected_components.h"

namespace espalier {
namespace {

using Distances = IdVector<SwitchId, std::uint32_t>;

// Ranks upwards what has no level yet, from the lowest id of each such component.
void fill_rest(const Fabric& fabric, Distances& level) {
  for (const SwitchId s : fabric.switches()) {
    if (level[s] != kFarAway) continue;
    level[s] = 0;
    extend_distances(fabric, {s}, level);
  }
}

template <class Visit>
void for_each_neighbor(const Fabric& fabric, SwitchId s, Visit visit) {
  for (const PortNum p : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, p);
    if (peer.is_switch() && peer.as_switch() != s) visit(peer.as_switch());
  }
}

}  // namespace

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

// What the switches of one batch of searches see.
void HostViews::look(MultiSourceBfs& searches, const IdVector<SwitchId, std::uint32_t>& hosts, SwitchId first,
                     std::span<View> views) {
  struct Sums {
    std::uint64_t hops = 0;  // to hosts
    std::uint64_t hosts = 0;
    std::uint64_t most = 0;  // hosts at one distance
    std::uint32_t most_frequent = 0;
    std::uint64_t here = 0;  // hosts at the distance at hand
  };
  std::array<Sums, MultiSourceBfs::kMostSources> sums{};
  for (searches.start(first, views.size()); !searches.front().empty(); searches.advance()) {
    for (const SwitchId s : searches.front()) {
      if (hosts[s] == 0) continue;
      for (std::uint64_t bits = searches.arrived(s); bits != 0; bits &= bits - 1)
        sums[static_cast<std::size_t>(std::countr_zero(bits))].here += hosts[s];
    }
    for (Sums& sum : sums) {
      const std::uint64_t here = std::exchange(sum.here, 0);
      sum.hops += here * searches.distance();
      sum.hosts += here;
      if (here > sum.most) std::tie(sum.most, sum.most_frequent) = std::pair(here, searches.distance());
    }
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (sums[i].hosts == 0) continue;
    views[i].mean = static_cast<double>(sums[i].hops) / static_cast<double>(sums[i].hosts);
    views[i].most_frequent = sums[i].most_frequent;
  }
  note_components(searches, views);
}

void HostViews::note_components(const MultiSourceBfs& searches, std::span<View> views) const {
  std::uint64_t known = 0;
  for (const SwitchId s : fabric_->switches()) {
    for (std::uint64_t bits = searches.reached(s) & ~known; bits != 0; bits &= bits - 1)
      views[static_cast<std::size_t>(std::countr_zero(bits))].component = s;
    known |= searches.reached(s);
  }
}

HostViews::HostViews(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts)
    : fabric_(&fabric), view_(fabric.num_switches()) {
  search_from_all(SwitchNeighbors(fabric), [&](MultiSourceBfs& searches, SwitchId first, std::size_t count) {
    look(searches, hosts, first, std::span(view_).subspan(index(first), count));
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
