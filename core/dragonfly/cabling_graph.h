// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fabric as a simple graph of switches: which are cabled, whatever the number of links; and what edges join.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// The group of each switch, by the number of one of its switches.
using GroupOfSwitch = IdVector<SwitchId, std::uint32_t>;

// Two switches that are cabled.
struct CabledPair {
  SwitchId a;
  SwitchId b;
};

class CablingGraph {
 public:
  explicit CablingGraph(const Fabric& fabric);

  // The same switches, with the edges between those alone that are marked.
  [[nodiscard]] CablingGraph between(const IdVector<SwitchId, std::uint8_t>& marked) const;

  [[nodiscard]] std::size_t size() const { return neighbors_.size(); }
  // Ascending, each once.
  [[nodiscard]] const std::vector<SwitchId>& neighbors(SwitchId s) const { return neighbors_[s]; }
  // Of some switches, ascending, each one's neighbors among them, ascending: by their places in the list.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> neighbors_within(const std::vector<SwitchId>& switches) const;
  [[nodiscard]] const std::vector<CabledPair>& edges() const { return edges_; }
  // Of each edge the triangles that it is part of.
  [[nodiscard]] std::vector<std::uint32_t> triangles() const;

 private:
  explicit CablingGraph(IdVector<SwitchId, std::vector<SwitchId>> neighbors);

  IdVector<SwitchId, std::vector<SwitchId>> neighbors_;
  std::vector<CabledPair> edges_;
};

// The neighbors of one switch, and then of another: whether a switch is one of them is seen at once.
class MarkedNeighbors {
 public:
  explicit MarkedNeighbors(const CablingGraph& graph) : graph_(graph), mark_(graph.size(), 0) {}

  void mark_those_of(SwitchId s) {
    ++now_;
    for (const SwitchId t : graph_.neighbors(s)) mark_[t] = now_;
  }
  [[nodiscard]] bool has(SwitchId s) const { return mark_[s] == now_; }
  void leave_out(SwitchId s) { mark_[s] = 0; }

 private:
  const CablingGraph& graph_;
  IdVector<SwitchId, std::uint32_t> mark_;
  std::uint32_t now_ = 1;
};

// What the edges join for which local(position in edges()) holds.
template <class Local>
[[nodiscard]] GroupOfSwitch joined_by(const CablingGraph& graph, Local&& local) {
  GroupOfSwitch group(graph.size());
  std::iota(group.begin(), group.end(), 0U);
  const auto root = [&](SwitchId s) {
    std::uint32_t r = static_cast<std::uint32_t>(index(s));
    while (group[SwitchId{r}] != r) r = group[SwitchId{r}] = group[SwitchId{group[SwitchId{r}]}];
    return r;
  };
  for (std::size_t i = 0; i < graph.edges().size(); ++i)
    if (local(i)) {
      const std::uint32_t a = root(graph.edges()[i].a);
      const std::uint32_t b = root(graph.edges()[i].b);
      group[SwitchId{std::max(a, b)}] = std::min(a, b);
    }
  for (const SwitchId s : group.ids()) group[s] = root(s);
  return group;
}

}  // namespace espalier
