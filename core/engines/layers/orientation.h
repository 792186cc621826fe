// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Up*/down* orientations (Schroeder et al., Autonet, 1991): an order of the switches, in which every link has an upper
// end. Paths that go up, then down, close no credit loop on one lane. By distance from a root, as in Autonet, most of them
// meet near it; orders that keep neighbors together leave other paths (by depth first: Sancho and Robles, 2000).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/layers/switch_graph.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Up is toward the switch that comes first.
struct Orientation {
  std::vector<SwitchId> descending;         // from the roots down
  IdVector<SwitchId, std::uint32_t> place;  // in `descending`
};

// Per switch its links to switches above it, by port.
class LinksUp {
 public:
  struct Link {
    ChannelId up, down;
    SwitchId above;
  };
  // REQUIRES: both are of the same fabric, and `orientation` outlives it.
  LinksUp(const SwitchGraph& graph, const Orientation& orientation);
  [[nodiscard]] std::span<const Link> of(SwitchId s) const {
    return std::span(links_).subspan(first_[index(s)], first_[index(s) + 1] - first_[index(s)]);
  }
  // All switches, from the roots down.
  [[nodiscard]] std::span<const SwitchId> descending() const { return orientation_->descending; }

 private:
  const Orientation* orientation_;
  std::vector<std::uint32_t> first_;  // per switch
  std::vector<Link> links_;
};

// By distance from the root; every pair of switches has a path up, then down.
[[nodiscard]] Orientation orient(const SwitchGraph& graph, SwitchId root);
// What decides among switches that are equally close to those before them.
enum class AmongEquals : std::uint8_t { kStraightOn, kHighestPort };
// From the root on, next always the switch with the most neighbors among those before it (maximum cardinality search,
// Tarjan and Yannakakis 1984), of several one beside the latest: row after row in a torus. Every pair of switches has a
// path up, then down, and few turns in all lead down, then up between switches that are far apart.
[[nodiscard]] Orientation orient_in_rows(const SwitchGraph& graph, SwitchId root, AmongEquals among_equals);
// The switch from which all hosts and switches are nearest; of several parts, in the largest. kNoSwitch: there is none.
[[nodiscard]] SwitchId central_switch(const SwitchGraph& graph);
// Of a few roots near the middle that with which the fullest channel carries least.
[[nodiscard]] Orientation best_orientation(const SwitchGraph& graph);
// That of the tree's levels. With several tops not every pair has a path.
[[nodiscard]] Orientation orient(const FatTree& tree);
// Whether every pair of switches has a path up, then down, as far as cables join them: each part has one top.
[[nodiscard]] bool joins_all(const SwitchGraph& graph, const Orientation& orientation);

// Channels numbered so that along any path that goes up, then down, numbers ascend.
[[nodiscard]] std::vector<std::uint32_t> numbers_of(const SwitchGraph& graph, const Orientation& orientation);

}  // namespace espalier
