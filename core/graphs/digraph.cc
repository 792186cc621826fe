// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/graphs/digraph.h"

#include <algorithm>

namespace espalier {

Digraph::Digraph(std::size_t n, std::vector<Arc> arcs) : first_(n + 1) {
  std::sort(arcs.begin(), arcs.end());
  for (const auto& [tail, head] : arcs) {
    ++first_[tail + 1];
    tails_.push_back(NodeId{tail});
    heads_.push_back(NodeId{head});
  }
  for (std::size_t u = 0; u < n; ++u) first_[u + 1] += first_[u];
}

Digraph Digraph::reversed() const {
  std::vector<Arc> arcs;
  for (std::size_t a = 0; a < heads_.size(); ++a)
    arcs.emplace_back(static_cast<std::uint32_t>(heads_[a]), static_cast<std::uint32_t>(tails_[a]));
  return {num_nodes(), std::move(arcs)};
}

std::vector<std::uint32_t> Digraph::distances(NodeId from) const {
  std::vector<std::uint32_t> distance(num_nodes(), kUnreachableNode);
  std::vector<NodeId> queue{from};
  distance[index(from)] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (const NodeId next : heads(queue[at]))
      if (distance[index(next)] == kUnreachableNode) {
        distance[index(next)] = distance[index(queue[at])] + 1;
        queue.push_back(next);
      }
  return distance;
}

Digraph digraph_of(const DirectNetwork& network) {
  std::vector<Arc> arcs = network.arcs;
  if (!network.directed)
    for (const auto& [a, b] : network.arcs) arcs.emplace_back(b, a);
  return {network.switches, std::move(arcs)};
}

Digraph digraph_of(const Fabric& fabric) {
  std::vector<Arc> arcs;
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (const Peer& peer = fabric.peer(c); peer.is_switch())
      arcs.emplace_back(static_cast<std::uint32_t>(fabric.source(c)), peer.id);
  return {fabric.num_switches(), std::move(arcs)};
}

}  // namespace espalier
