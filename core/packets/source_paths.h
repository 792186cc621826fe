// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Paths that sources choose among, each with a weight, and paths that packets took, counted: the two ends of SDN-ugal
// (Faizian 2018, 5.2.2), where flows are split as UGAL split them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/packets/network.h"
#include "core/packets/random.h"

namespace espalier::packets {

class SourcePaths {
 public:
  // The network outlives it.
  explicit SourcePaths(const Network& network) : network_(network) {}

  // Routers after the source's. Of parallel links each path gets the next one. REQUIRES: each is cabled to the one
  // before; weight > 0.
  void add(Node from, Node to, double weight, std::span<const Router> routers);

  // The number of a path, by weights; kNone: there is none.
  [[nodiscard]] std::uint32_t choose(Node from, Node to, Random& random) const;
  // The port of its hop'th hop. REQUIRES: hop < its length.
  [[nodiscard]] Port port(std::uint32_t path, std::uint32_t hop) const { return ports_[first_[path] + hop]; }
  [[nodiscard]] std::uint32_t longest() const { return longest_; }

 private:
  struct Choice {
    double up_to = 0;  // weights of this one and of those before
    std::uint32_t path = kNone;
  };
  [[nodiscard]] static std::uint64_t key(Node from, Node to) { return std::uint64_t{from} << 32U | to; }

  const Network& network_;
  std::unordered_map<std::uint64_t, std::vector<Choice>> choices_;
  std::vector<std::uint32_t> first_;  // in ports_, of each path
  std::vector<Port> ports_;
  std::uint32_t longest_ = 1;
};

// How often packets took which path: routers after the source's, by source and destination.
using PathCounts = std::map<std::pair<Node, Node>, std::map<std::vector<Router>, std::uint64_t>>;

}  // namespace espalier::packets
