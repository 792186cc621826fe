// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/cabling_graph.h"

#include <utility>

#include "core/base/sort_unique.h"

namespace espalier {
namespace {

IdVector<SwitchId, std::vector<SwitchId>> cabled_neighbors(const Fabric& fabric) {
  IdVector<SwitchId, std::vector<SwitchId>> neighbors(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) {
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && peer.as_switch() != s)
        neighbors[s].push_back(peer.as_switch());
    sort_unique(neighbors[s]);
  }
  return neighbors;
}

}  // namespace

CablingGraph::CablingGraph(IdVector<SwitchId, std::vector<SwitchId>> neighbors) : neighbors_(std::move(neighbors)) {
  for (const SwitchId a : neighbors_.ids())
    for (const SwitchId b : neighbors_[a])
      if (a < b) edges_.push_back({a, b});
}

CablingGraph::CablingGraph(const Fabric& fabric) : CablingGraph(cabled_neighbors(fabric)) {}

CablingGraph CablingGraph::between(const IdVector<SwitchId, std::uint8_t>& marked) const {
  IdVector<SwitchId, std::vector<SwitchId>> neighbors(size());
  for (const auto& [a, b] : edges_)
    if (marked[a] != 0 && marked[b] != 0) {
      neighbors[a].push_back(b);
      neighbors[b].push_back(a);
    }
  for (const SwitchId s : neighbors.ids()) std::sort(neighbors[s].begin(), neighbors[s].end());
  return CablingGraph(std::move(neighbors));
}

std::vector<std::vector<std::uint32_t>> CablingGraph::neighbors_within(const std::vector<SwitchId>& switches) const {
  std::vector<std::vector<std::uint32_t>> within(switches.size());
  for (std::size_t i = 0; i < switches.size(); ++i)
    for (const SwitchId t : neighbors_[switches[i]])
      if (const auto at = std::lower_bound(switches.begin(), switches.end(), t); at != switches.end() && *at == t)
        within[i].push_back(static_cast<std::uint32_t>(at - switches.begin()));
  return within;
}

std::vector<std::uint32_t> CablingGraph::triangles() const {
  std::vector<std::uint32_t> counts;
  counts.reserve(edges_.size());
  MarkedNeighbors of_first(*this);
  SwitchId first = kNoSwitch;
  for (const CabledPair& edge : edges_) {
    if (edge.a != first) of_first.mark_those_of(first = edge.a);
    std::uint32_t count = 0;
    for (const SwitchId s : neighbors_[edge.b]) count += of_first.has(s) ? 1 : 0;
    counts.push_back(count);
  }
  return counts;
}

}  // namespace espalier
