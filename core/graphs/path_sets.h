// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which paths a pair of nodes may use (Faizian 2018, 2.1.1 and 3.4).
//
//   min         all shortest paths
//   ksp:K       the K shortest simple paths (KSP). What the literature leaves open is which of the equally long ones,
//               and it decides over throughput: `lex` takes the smallest sequences of nodes, which share their first
//               arcs; `random` draws; `edge-disjoint` takes the one that shares the fewest arcs with those before it.
//   allpath:H   all simple paths of at most H arcs (ALLPATH); a pair may have none
//   gdbg        one shortest path for each pair, by the arithmetic of generalized de Bruijn graphs (gdbg_routing.h)
//
// Where the paper takes Yen's algorithm, this goes through the simple paths length by length, depth first, and leaves a
// branch from which the destination is farther than the arcs that remain: with hops as lengths that finds all equally
// long paths at once, which drawing among them needs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/result.h"
#include "core/graphs/digraph.h"

namespace espalier {

enum class KspTies : std::uint8_t { kLex, kRandom, kEdgeDisjoint };
inline constexpr EnumNames kKspTiesNames(KspTies::kEdgeDisjoint, {"lex", "random", "edge-disjoint"});

struct PathRule {
  enum class Kind : std::uint8_t { kShortest, kKShortest, kAllUpTo, kDeBruijn };
  Kind kind = Kind::kShortest;
  std::uint32_t parameter = 1;  // K or H; of kDeBruijn the r of GDBG(n, r), which adapted_to() finds
  KspTies ties = KspTies::kRandom;
  std::uint64_t seed = 1;  // of random ties; each pair draws on its own
};

// "min", "ksp:8", "allpath:3", "gdbg". Errors: any other word, a number that is not 1 to 10 000.
[[nodiscard]] Result<PathRule> parse_path_rule(std::string_view word);

// The rule with what it has to know of the graph. Errors: kDeBruijn for a graph that is no generalized de Bruijn graph.
[[nodiscard]] Result<PathRule> adapted_to(const Digraph& graph, PathRule rule);

using GraphPath = std::vector<ArcId>;  // from the source on; parallel arcs make different paths

class PathFinder {
 public:
  // REQUIRES: `graph` outlives the finder.
  explicit PathFinder(const Digraph& graph) : graph_(graph), reversed_(graph.reversed()) {}

  // Shorter ones first, then by their sequences of nodes (with random ties: as drawn). REQUIRES: source is not
  // destination; the rule is adapted_to(graph). At most kMostPaths of one length are looked at, which grids with very many
  // shortest paths exceed; ksp looks at none that is more than kMostDetour arcs longer than the shortest.
  [[nodiscard]] std::vector<GraphPath> paths(NodeId source, NodeId destination, const PathRule& rule);

  // Whether there may be more of one length than were looked at, for some pair so far.
  [[nodiscard]] bool left_some_out() const { return left_some_out_; }

  static constexpr std::size_t kMostPaths = 20'000;
  static constexpr std::uint32_t kMostDetour = 16;

 private:
  // All simple paths of exactly `length` arcs, in the order of their nodes, up to `most`.
  [[nodiscard]] std::vector<GraphPath> of_length(NodeId source, std::uint32_t length, std::size_t most);

  const Digraph& graph_;
  Digraph reversed_;
  NodeId destination_{kUnreachableNode};      // that distance_ is about
  std::vector<std::uint32_t> distance_ = {};  // to the destination
  std::vector<std::uint8_t> on_path_ = {};
  bool left_some_out_ = false;
};

}  // namespace espalier
