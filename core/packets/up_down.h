// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Up*/down* routing (Schroeder et al.: Autonet, IEEE JSAC 1991) among the routers of a group that has lost links.
//
// Routers are in the order of a breadth-first search. A path goes up to routers that come earlier, and then down to later
// ones; it never goes up again, so that channels make no cycle on one virtual channel, whatever is missing. Where a
// router can reach its goal by going down alone it does, so that the next hop depends on where a packet is and where it
// goes, not on where it came from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace espalier::packets {

class UpDown {
 public:
  // Of routers 0 .. size-1: the neighbors of each, ascending, each once.
  using Neighbors = std::vector<std::vector<std::uint32_t>>;

  explicit UpDown(Neighbors neighbors);

  // Whether any router can reach any other.
  [[nodiscard]] bool joins_all() const { return joins_all_; }
  // Of each router the next one on its way to the nearest of the goals; kNone: it is one.
  // REQUIRES: joins_all(), at least one goal.
  [[nodiscard]] std::vector<std::uint32_t> toward(std::span<const std::uint32_t> goals) const;
  // Whether a packet that came from `before` may go on to `after`.
  [[nodiscard]] bool turn_allowed(std::uint32_t before, std::uint32_t at, std::uint32_t after) const {
    return place_[at] < place_[before] || place_[at] < place_[after];
  }
  [[nodiscard]] bool adjacent(std::uint32_t a, std::uint32_t b) const;

 private:
  Neighbors neighbors_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // of each router in the order
  bool joins_all_ = false;
};

}  // namespace espalier::packets
