// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many flows of each pair of leaves go over each spine, so that no link gets more than fits into the schedule.
//
// What for? Once this is known, dividing the flows into phases is solved: equitable_coloring.h always finds a division
// in which no link carries two. So the damage matters here and nowhere else. To color each phase for itself, as the
// thesis does with an ILP, is needlessly hard: there a spine takes one flow per link, here hundreds.
//
// Definition. Given demand N(A,B) and a number of rounds T, find x(A,s,B) >= 0 with
//     sum over s of x(A,s,B) = N(A,B),  x(A,s,B) = 0 unless spine s has links to both,
//     sum over B of x(A,s,B) <= T  for each link upward,  sum over A of x(A,s,B) <= T  for each link downward.
//
// How. Largest pieces first, each where most room is left: few spines per pair, which keeps the number of LIDs small.
// What finds no room is placed by an augmenting path: put it where only one of its two links is full, move somebody of
// the full link elsewhere, and so on (breadth first, so the shortest path is found). What finds no path comes first in
// the next attempt, and every other attempt begins with smaller pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule/leaf_spine/leaf_spine.h"

namespace espalier {

class SpineLoads {
 public:
  SpineLoads(std::size_t num_leaves, std::size_t num_spines)
      : num_leaves_(num_leaves), num_spines_(num_spines), x_(num_leaves * num_leaves * num_spines, 0) {}
  // Flows from leaf a over spine s to leaf b.
  [[nodiscard]] std::uint32_t& at(std::size_t a, std::size_t s, std::size_t b) {
    return x_[(a * num_leaves_ + b) * num_spines_ + s];
  }
  [[nodiscard]] std::uint32_t at(std::size_t a, std::size_t s, std::size_t b) const {
    return x_[(a * num_leaves_ + b) * num_spines_ + s];
  }

 private:
  std::size_t num_leaves_;
  std::size_t num_spines_;
  std::vector<std::uint32_t> x_;
};

struct AssignmentLimits {
  std::uint32_t spines_per_pair = ~std::uint32_t{0};
  std::uint32_t attempts = 30;
  // Rounds in which a link is taken by others, [leaf * spines + spine]; empty: none is.
  std::vector<std::uint32_t> taken_up = {};
  std::vector<std::uint32_t> taken_down = {};
};

// `demand` is [from * leaves + to], its diagonal is not looked at. Nothing when the search finds no assignment, which
// does not prove that there is none.
[[nodiscard]] std::optional<SpineLoads> assign_spines(const LeafSpine& tree, const std::vector<std::uint32_t>& demand,
                                                      std::uint32_t rounds, const AssignmentLimits& limits = {});

}  // namespace espalier
