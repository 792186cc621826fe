// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All shortest paths to one switch: breadth first, the hops of every switch that lead one nearer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/layers/dimensions.h"
#include "core/engines/layers/switch_graph.h"

namespace espalier {

inline constexpr std::uint32_t kFar = 0xFFFFFFFF;  // hops to what has not been reached

class ShortestHops {
 public:
  // REQUIRES: `graph` outlives it.
  explicit ShortestHops(const SwitchGraph& graph) : graph_(&graph), distance_(), order_(), first_(), hops_() {}

  // Searches from `target`, unless it did so last. What is below is of it.
  void aim_at(SwitchId target);
  // The same with only those of the hops that lead nearer which are in the lowest dimension, and without distances.
  [[nodiscard]] ShortestHops in_lowest(const Dimensions& dimensions) const;
  // The switches that have a path, nearest first; the target itself is at place 0.
  [[nodiscard]] const std::vector<SwitchId>& order() const { return order_; }
  [[nodiscard]] std::uint32_t distance(SwitchId s) const { return distance_[index(s)]; }
  // Of order()[place]; by port.
  [[nodiscard]] std::span<const Hop> nearer(std::size_t place) const {
    return {hops_.data() + first_[place], hops_.data() + first_[place + 1]};
  }

 private:
  const SwitchGraph* graph_;
  SwitchId target_ = kNoSwitch;
  std::vector<std::uint32_t> distance_;  // per switch
  std::vector<SwitchId> order_;
  std::vector<std::uint32_t> first_;  // per place
  std::vector<Hop> hops_;
};

// The same to each switch, searched when first asked for, and kept as far as there is room.
class HopsToAll {
 public:
  // REQUIRES: `graph` outlives it.
  explicit HopsToAll(const SwitchGraph& graph);
  // Whether no search is made twice.
  [[nodiscard]] bool keeps_all() const { return searches_.size() > 1; }
  // Good until the next call.
  [[nodiscard]] const ShortestHops& to(SwitchId target) {
    ShortestHops& hops = searches_[index(target) % searches_.size()];
    hops.aim_at(target);
    return hops;
  }

 private:
  std::vector<ShortestHops> searches_;
};

// What the fullest channel carries at least where all paths of hosts to offset 0 are shortest ones: flows that have only
// one path, as far as they have; the mean; and what leaves a switch, shared by its channels.
[[nodiscard]] double least_fullest_load(const SwitchGraph& graph, HopsToAll& hops);
// The least load from `load` on that a channel can have where what each switch sends along each tree stays together: all
// are multiples of one number, where these are whole.
[[nodiscard]] double next_possible_load(const SwitchGraph& graph, double load);

}  // namespace espalier
