// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Minimal and Valiant paths between switches, as sequences of arcs; see fabric_paths.h.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/graphs/digraph.h"
#include "core/graphs/path_sets.h"

namespace espalier {

// And over how many third switches it is one.
struct ValiantPath {
  GraphPath path;
  std::uint32_t num_middles = 0;
};

class MinimalPaths {
 public:
  // `groups` as in FabricPathRule. REQUIRES: `graph` outlives it.
  MinimalPaths(const Digraph& graph, std::vector<std::uint32_t> groups);

  // All minimal ones; none when there is no path, or from a switch to itself. Kept for the next question.
  [[nodiscard]] const std::vector<GraphPath>& minimal(NodeId s, NodeId d);
  // Without the minimal ones, each once: the first minimal path to a third switch and on from there, but straight on from
  // where that would come by a second time.
  [[nodiscard]] std::vector<ValiantPath> valiant(NodeId s, NodeId d);
  // As PathFinder has it.
  [[nodiscard]] bool left_some_out() const { return everywhere_.left_some_out() || within_.left_some_out(); }

 private:
  [[nodiscard]] std::vector<GraphPath> over_one_link(NodeId s, NodeId d);

  const Digraph& graph_;
  std::vector<std::uint32_t> groups_;
  std::vector<ArcId> local_arcs_;  // those within groups
  Digraph local_;                  // they alone, in the same order
  PathFinder everywhere_;
  PathFinder within_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<ArcId>> links_;  // from group, to group
  std::map<std::pair<NodeId, NodeId>, std::vector<GraphPath>> known_;
};

}  // namespace espalier
