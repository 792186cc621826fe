// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Breadth-first searches from many switches at once, a bit for each: MS-BFS (Then et al., "The More the Merrier: Efficient
// Multi-Source Graph Traversal", VLDB 2014).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/parallel.h"
#include "core/fabric/fabric.h"

namespace espalier {

// The switches at the other ends of each switch's cables, once per cable, without cables from a switch to itself.
class SwitchNeighbors {
 public:
  explicit SwitchNeighbors(const Fabric& fabric);

  [[nodiscard]] std::size_t num_switches() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const SwitchId> of(SwitchId s) const {
    return {far_.data() + first_[index(s)], far_.data() + first_[index(s) + 1]};
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<SwitchId> far_;
};

// for (bfs.start(first, count); !bfs.front().empty(); bfs.advance()) ... : one turn per distance, 0 first. O(links) for all
// searches of a batch where they come to each switch at about the same distance.
class MultiSourceBfs {
 public:
  static constexpr std::size_t kMostSources = 64;

  // REQUIRES: `neighbors` outlives it.
  explicit MultiSourceBfs(const SwitchNeighbors& neighbors);

  // From `count` switches, `first` and those after it; bit i is the search from first + i.
  // REQUIRES: `count` is at most kMostSources.
  void start(SwitchId first, std::size_t count);
  void advance();

  [[nodiscard]] std::uint32_t distance() const { return distance_; }
  // Where some search has come at this distance.
  [[nodiscard]] const std::vector<SwitchId>& front() const { return front_; }
  // Which ones. REQUIRES: `s` is in front().
  [[nodiscard]] std::uint64_t arrived(SwitchId s) const { return arrived_[s]; }
  // Which ones have come to it at this distance or before.
  [[nodiscard]] std::uint64_t reached(SwitchId s) const { return reached_[s]; }

 private:
  const SwitchNeighbors* neighbors_;
  std::uint32_t distance_ = 0;
  IdVector<SwitchId, std::uint64_t> reached_, arrived_, next_;
  std::vector<SwitchId> front_, touched_;
};

// body(searches, first, count) for all switches in batches, each on one thread: searches that have yet to start, and their
// sources, `first` and those after it.
template <class Body>
void search_from_all(const SwitchNeighbors& neighbors, const Body& body) {
  constexpr std::size_t kBatch = MultiSourceBfs::kMostSources;
  const std::size_t switches = neighbors.num_switches();
  parallel_blocks((switches + kBatch - 1) / kBatch, 1, [&](std::size_t begin, std::size_t end) {
    MultiSourceBfs searches(neighbors);
    for (std::size_t i = begin; i < end; ++i)
      body(searches, id_at<SwitchId>(i * kBatch), std::min(kBatch, switches - i * kBatch));
  });
}

}  // namespace espalier
