// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/levels.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <tuple>
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
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
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
  for (const PortNum p : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, p);
    if (peer.is_switch() && peer.as_switch() != s) visit(peer.as_switch());
  }
}

}  // namespace

// All searches go over the same links: neighbors are listed once.
class HostViews::Neighbors {
 public:
  explicit Neighbors(const Fabric& fabric) {
    for (const SwitchId s : fabric.switches()) {
      for_each_neighbor(fabric, s, [&](SwitchId other) { neighbors_.push_back(other); });
      first_.push_back(neighbors_.size());
    }
  }
  [[nodiscard]] std::span<const SwitchId> of(SwitchId s) const {
    return {neighbors_.data() + first_[index(s)], first_[index(s) + 1] - first_[index(s)]};
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<SwitchId> neighbors_;
};

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

// What 64 switches see, or as many as there are from the first one on.
//
// The breadth-first searches of all of them at once, a bit each. By distance d, the bits of a switch are who has come to it.
class HostViews::Search {
 public:
  Search(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts)
      : hosts_(hosts), reached_(fabric.num_switches()), fresh_(fabric.num_switches()), next_(fabric.num_switches()) {}

  void look(const Neighbors& neighbors, std::size_t first, std::span<View> views) {
    std::fill(reached_.begin(), reached_.end(), 0);
    std::vector<Sums> sums(views.size());
    front_.clear();
    for (std::size_t i = 0; i < views.size(); ++i) {
      front_.push_back(id_at<SwitchId>(first + i));
      fresh_[front_.back()] = std::uint64_t{1} << i;
    }
    for (std::uint32_t distance = 0; !front_.empty(); ++distance) {
      count(distance, sums);
      advance(neighbors);
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (sums[i].hosts == 0) continue;
      views[i].mean = static_cast<double>(sums[i].hops) / static_cast<double>(sums[i].hosts);
      views[i].most_frequent = sums[i].most_frequent;
    }
    note_components(views);
  }

 private:
  struct Sums {
    std::uint64_t hops = 0;  // to hosts
    std::uint64_t hosts = 0;
    std::uint64_t most = 0;  // hosts at one distance
    std::uint32_t most_frequent = 0;
    std::uint64_t here = 0;  // hosts at the distance at hand
  };

  void count(std::uint32_t distance, std::vector<Sums>& sums) {
    for (const SwitchId s : front_) {
      reached_[s] |= fresh_[s];
      if (hosts_[s] == 0) continue;
      for (std::uint64_t bits = fresh_[s]; bits != 0; bits &= bits - 1)
        sums[static_cast<std::size_t>(std::countr_zero(bits))].here += hosts_[s];
    }
    for (Sums& sum : sums) {
      const std::uint64_t here = std::exchange(sum.here, 0);
      sum.hops += here * distance;
      sum.hosts += here;
      if (here > sum.most) std::tie(sum.most, sum.most_frequent) = std::pair(here, distance);
    }
  }

  // From the switches of the front to those that some come to for the first time.
  void advance(const Neighbors& neighbors) {
    touched_.clear();
    for (const SwitchId s : front_)
      for (const SwitchId other : neighbors.of(s)) {
        if (next_[other] == 0) touched_.push_back(other);
        next_[other] |= fresh_[s];
      }
    front_.clear();
    for (const SwitchId s : touched_) {
      fresh_[s] = std::exchange(next_[s], 0) & ~reached_[s];
      if (fresh_[s] != 0) front_.push_back(s);
    }
  }

  void note_components(std::span<View> views) {
    std::uint64_t known = 0;
    for (const SwitchId s : reached_.ids()) {
      for (std::uint64_t bits = reached_[s] & ~known; bits != 0; bits &= bits - 1)
        views[static_cast<std::size_t>(std::countr_zero(bits))].component = s;
      known |= reached_[s];
    }
  }

  const IdVector<SwitchId, std::uint32_t>& hosts_;
  IdVector<SwitchId, std::uint64_t> reached_, fresh_, next_;
  std::vector<SwitchId> front_, touched_;
};

HostViews::HostViews(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts)
    : fabric_(&fabric), view_(fabric.num_switches()) {
  constexpr std::size_t kTogether = 64;
  const Neighbors neighbors(fabric);
  parallel_blocks((view_.size() + kTogether - 1) / kTogether, 1, [&](std::size_t begin, std::size_t end) {
    Search search(fabric, hosts);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t first = i * kTogether;
      search.look(neighbors, first, std::span(view_).subspan(first, std::min(kTogether, view_.size() - first)));
    }
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
