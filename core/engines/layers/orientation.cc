// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/orientation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/layers/tree_search.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/connectivity/multi_source_bfs.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
constexpr std::size_t kMostRoots = 12;
constexpr std::size_t kAllPorts = 256;

struct Center {
  std::uint64_t distance = 0;
  SwitchId at = kNoSwitch;
  auto operator<=>(const Center&) const = default;
};

// How far all others and their hosts are from the switches of one batch of searches, in hops + 1, in sum. What they do not
// reach counts most, so that of several parts the largest has the least: the others have roots of their own.
void sum_distances(MultiSourceBfs& searches, const SwitchGraph& graph, SwitchId first, std::span<Center> centers) {
  std::array<std::size_t, MultiSourceBfs::kMostSources> reached{};
  for (searches.start(first, centers.size()); !searches.front().empty(); searches.advance())
    for (const SwitchId s : searches.front())
      for (std::uint64_t bits = searches.arrived(s); bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        centers[i].distance += std::uint64_t{searches.distance() + 1} * (1 + graph.hosts(s));
        ++reached[i];
      }
  for (std::size_t i = 0; i < centers.size(); ++i) {
    centers[i].at = id_at<SwitchId>(index(first) + i);
    centers[i].distance += (graph.num_switches() - reached[i]) * graph.num_switches() * 1000;
  }
}

// The switches nearest to all hosts, `most` at most.
std::vector<SwitchId> central_switches(const SwitchGraph& graph, std::size_t most) {
  std::vector<Center> by_distance(graph.num_switches());
  search_from_all(SwitchNeighbors(graph.fabric()), [&](MultiSourceBfs& searches, SwitchId first, std::size_t count) {
    sum_distances(searches, graph, first, std::span(by_distance).subspan(index(first), count));
  });
  const std::size_t count = std::min(most, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
  std::vector<SwitchId> switches;
  for (std::size_t i = 0; i < count; ++i) switches.push_back(by_distance[i].at);
  return switches;
}

}  // namespace

LinksUp::LinksUp(const SwitchGraph& graph, const Orientation& orientation) : orientation_(&orientation), first_{0} {
  for (const SwitchId s : graph.fabric().switches()) {
    const std::span<const Hop> out = graph.out(s), in = graph.in(s);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (orientation.place[out[k].far] < orientation.place[s])
        links_.push_back({out[k].channel, in[k].channel, out[k].far});
    first_.push_back(static_cast<std::uint32_t>(links_.size()));
  }
}

Orientation orient(const SwitchGraph& graph, SwitchId root) {
  Orientation orientation{{}, IdVector<SwitchId, std::uint32_t>(graph.num_switches(), kNowhere)};
  auto& order = orientation.descending;
  const auto grow_from = [&](SwitchId first) {
    orientation.place[first] = static_cast<std::uint32_t>(order.size());
    order.push_back(first);
    for (std::size_t head = order.size() - 1; head < order.size(); ++head)
      for (const Hop& hop : graph.out(order[head])) {
        if (orientation.place[hop.far] != kNowhere) continue;
        orientation.place[hop.far] = static_cast<std::uint32_t>(order.size());
        order.push_back(hop.far);
      }
  };
  grow_from(root);
  for (const SwitchId s : graph.fabric().switches())
    if (orientation.place[s] == kNowhere) grow_from(s);
  return orientation;
}

Orientation orient_in_rows(const SwitchGraph& graph, SwitchId root, AmongEquals among_equals) {
  Orientation orientation{{}, IdVector<SwitchId, std::uint32_t>(graph.num_switches(), kNowhere)};
  auto& order = orientation.descending;
  struct Seen {
    std::uint32_t neighbors = 0;  // among those in the order
    PortNum from = kNoPort;       // the port of the last of them that leads here
  };
  IdVector<SwitchId, Seen> seen(graph.num_switches());
  // What has been seen again since is in it more than once; its last entry comes first.
  std::priority_queue<std::tuple<std::uint32_t, std::size_t, std::size_t, SwitchId>> next;
  const auto place = [&](SwitchId s) {
    orientation.place[s] = static_cast<std::uint32_t>(order.size());
    order.push_back(s);
    const PortNum straight_on = seen[s].from;
    for (const Hop& hop : graph.out(s)) {
      if (orientation.place[hop.far] != kNowhere) continue;
      const PortNum port = graph.fabric().port(hop.channel);
      const std::size_t preference = among_equals == AmongEquals::kHighestPort ? index(port)
                                     : port == straight_on                     ? kAllPorts
                                                                               : kAllPorts - 1 - index(port);
      seen[hop.far] = {seen[hop.far].neighbors + 1, port};
      next.emplace(seen[hop.far].neighbors, order.size(), preference, hop.far);
    }
  };
  const auto grow_from = [&](SwitchId first) {
    for (next.emplace(0, 0, 0, first); !next.empty();) {
      const SwitchId s = std::get<SwitchId>(next.top());
      next.pop();
      if (orientation.place[s] == kNowhere) place(s);
    }
  };
  if (graph.num_switches() > 0) grow_from(root);
  for (const SwitchId s : graph.fabric().switches())
    if (orientation.place[s] == kNowhere) grow_from(s);
  return orientation;
}

std::vector<std::uint32_t> numbers_of(const SwitchGraph& graph, const Orientation& orientation) {
  std::vector<std::uint32_t> numbers(graph.fabric().num_channels());
  std::vector<std::uint8_t> numbered(numbers.size());
  std::uint32_t next = 0;
  const auto number = [&](ChannelId c) {
    numbers[index(c)] = next++;
    numbered[index(c)] = 1;
  };
  const auto& order = orientation.descending;
  for (auto s = order.rbegin(); s != order.rend(); ++s)
    for (const Hop& hop : graph.out(*s))
      if (orientation.place[hop.far] < orientation.place[*s]) number(hop.channel);
  for (const SwitchId s : order)
    for (const Hop& hop : graph.out(s))
      if (orientation.place[hop.far] > orientation.place[s]) number(hop.channel);
  for (const ChannelId c : IdRange<ChannelId>(numbers.size()))
    if (numbered[index(c)] == 0) number(c);
  return numbers;
}

SwitchId central_switch(const SwitchGraph& graph) {
  const std::vector<SwitchId> switches = central_switches(graph, 1);
  return switches.empty() ? kNoSwitch : switches.front();
}

Orientation best_orientation(const SwitchGraph& graph) {
  const std::vector<SwitchId> roots = central_switches(graph, kMostRoots);
  if (roots.empty()) return {};
  std::vector<std::pair<double, double>> loads(roots.size());
  parallel_for(roots.size(), [&](std::size_t r) {
    const Orientation orientation = orient(graph, roots[r]);
    const LinksUp links(graph, orientation);
    TreeSearch trees(graph);
    for (std::size_t i = 0; i < graph.lids().size(); ++i)
      if (graph.lids()[i].weight > 0 && graph.lids()[i].offset == 0) trees.route_up_down(i, links);
    loads[r] = {trees.max_load(), trees.total_load()};
  });
  return orient(graph, roots[static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin())]);
}

Orientation orient(const FatTree& tree) {
  const auto ascending = tree.ascending();
  Orientation orientation{{ascending.rbegin(), ascending.rend()},
                          IdVector<SwitchId, std::uint32_t>(ascending.size(), kNowhere)};
  std::uint32_t place = 0;
  for (const SwitchId s : orientation.descending) orientation.place[s] = place++;
  return orientation;
}

bool joins_all(const SwitchGraph& graph, const Orientation& orientation) {
  const auto component = connected_components(graph.fabric());
  std::vector<std::uint8_t> has_top(graph.num_switches());
  for (const SwitchId s : graph.fabric().switches()) {
    const auto is_up = [&](const Hop& hop) { return orientation.place[hop.far] < orientation.place[s]; };
    if (std::ranges::any_of(graph.out(s), is_up)) continue;
    if (std::exchange(has_top[component[s]], 1) != 0) return false;
  }
  return true;
}

}  // namespace espalier
