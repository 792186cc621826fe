// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A directed graph in flat arrays, for paths and metrics that ask for neither ports nor links: switches are nodes, and
// a link is an arc each way. Parallel arcs and loops are allowed; no shortest path takes a loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/id.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/direct_networks.h"

namespace espalier {

enum class NodeId : std::uint32_t {};
enum class ArcId : std::uint32_t {};  // ascending by (tail, head)

inline constexpr std::uint32_t kUnreachableNode = 0xFFFFFFFF;  // as a distance

class Digraph {
 public:
  // REQUIRES: both ends of each arc are below n.
  Digraph(std::size_t n, std::vector<Arc> arcs);

  [[nodiscard]] std::size_t num_nodes() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t num_arcs() const { return heads_.size(); }
  [[nodiscard]] IdRange<NodeId> nodes() const { return IdRange<NodeId>(num_nodes()); }
  // Of a node, ascending by head.
  [[nodiscard]] std::span<const NodeId> heads(NodeId u) const {
    return {heads_.data() + first_[index(u)], heads_.data() + first_[index(u) + 1]};
  }
  // The arc to heads(u)[i].
  [[nodiscard]] ArcId arc(NodeId u, std::size_t i) const { return id_at<ArcId>(first_[index(u)] + i); }
  [[nodiscard]] NodeId head(ArcId a) const { return heads_[index(a)]; }
  [[nodiscard]] NodeId tail(ArcId a) const { return tails_[index(a)]; }

  [[nodiscard]] Digraph reversed() const;
  // Arcs from `from` to each node; kUnreachableNode where there is no path. O(arcs).
  [[nodiscard]] std::vector<std::uint32_t> distances(NodeId from) const;

 private:
  std::vector<std::uint32_t> first_;  // per node, and the end
  std::vector<NodeId> heads_;         // per arc
  std::vector<NodeId> tails_;         // per arc
};

// Directed ones as they are, the others with an arc each way.
[[nodiscard]] Digraph digraph_of(const DirectNetwork& network);

// Switches by SwitchId, links as arcs each way; parallel links are parallel arcs.
[[nodiscard]] Digraph digraph_of(const Fabric& fabric);

}  // namespace espalier
