// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a graph is worth before anybody links it (Faizian 2018, 3.5): distances, how many paths a pair has, and how
// full the fullest arc is.
#pragma once

#include <cstdint>

#include "core/base/progress.h"
#include "core/graphs/digraph.h"
#include "core/graphs/path_sets.h"

namespace espalier {

struct Distances {
  std::uint32_t diameter = 0;   // of the pairs that have a path
  double mean = 0;              // over ordered pairs of different nodes that have a path
  std::uint64_t unreached = 0;  // ordered pairs without one
};
[[nodiscard]] Distances distances(const Digraph& graph, Progress* progress = nullptr);

// Under all-to-all traffic each ordered pair with x paths puts a load of 1/x on every arc of each.
struct PathMetrics {
  double mean_paths = 0;       // over ordered pairs of different nodes
  double least_paths = 0;      // whole numbers, which may exceed 64 bits
  double most_paths = 0;       // the same
  double mean_length = 0;      // over all paths
  double max_load = 0;         // over arcs
  double mean_load = 0;        // over arcs, loops left out
  bool left_some_out = false;  // of equally long paths: PathFinder::left_some_out()
};
// Cost: for min O(nodes x arcs), however many paths there are; for allpath two visits of each path; for ksp one visit of
// each of the same length.
[[nodiscard]] PathMetrics path_metrics(const Digraph& graph, const PathRule& rule, Progress* progress = nullptr);

// Simple paths of at most so many hops from a node; the count ends at `most`, above 0.
[[nodiscard]] std::uint64_t count_paths(const Digraph& graph, NodeId from, std::uint32_t hops, std::uint64_t most);

// Loops of the graph.
[[nodiscard]] std::uint64_t count_loops(const Digraph& graph);

// Arcs from one half of the nodes to the other, at the least that was found: bisection width (the mean of both
// directions, which are the same where each node has as many arcs in as out). From above:
// finding it exactly is NP-hard, and this is the best of `tries` descents of Kernighan and Lin (1970) from random
// halves. Of odd numbers one half has a node more.
[[nodiscard]] std::uint64_t bisection_width(const Digraph& graph, unsigned tries, std::uint64_t seed,
                                            Progress* progress = nullptr);

}  // namespace espalier
