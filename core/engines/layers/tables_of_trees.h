// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables from a tree to each LID of a SwitchGraph, and to those that share it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/parallel.h"
#include "core/engines/layers/switch_graph.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// The LIDs of each tree, those that follow one another together: rows are written many entries at once.
class LidRuns {
 public:
  struct Run {
    std::size_t first, end;
  };
  explicit LidRuns(std::span<const RoutedLid> trees) : begin_{0} {
    std::vector<std::size_t> lids;
    for (const RoutedLid& tree : trees) {
      lids.assign(1, index(tree.lid));
      for (const auto& [other, port] : tree.sharing) lids.push_back(index(other));
      std::sort(lids.begin(), lids.end());
      for (const std::size_t lid : lids)
        if (runs_.size() > begin_.back() && runs_.back().end == lid)
          ++runs_.back().end;
        else
          runs_.push_back({lid, lid + 1});
      begin_.push_back(runs_.size());
    }
  }
  [[nodiscard]] std::span<const Run> of(std::size_t tree) const {
    return std::span(runs_).subspan(begin_[tree], begin_[tree + 1] - begin_[tree]);
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::size_t> begin_;  // per tree
};

// `port`(i, s): by which packets for graph.lids()[i] leave switch s, which is not its own; kNoPort: there is no path.
template <class PortOf>
[[nodiscard]] ForwardingTables tables_of_trees(const SwitchGraph& graph, const PortOf& port) {
  const Fabric& fabric = graph.fabric();
  const LidRuns runs(graph.lids());
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  constexpr std::size_t kNeighbors = 16;  // switches whose ports in a tree are beside each other
  parallel_blocks(fabric.num_switches(), kNeighbors, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < graph.lids().size(); ++i) {
      const RoutedLid& lid = graph.lids()[i];
      for (std::size_t number = first; number < last; ++number) {
        const SwitchId s = id_at<SwitchId>(number);
        PortNum* const row = tables.row(s).data();
        if (s == lid.at) {
          row[index(lid.lid)] = lid.last_port;
          for (const auto& [other, last_port] : lid.sharing) row[index(other)] = last_port;
        } else if (const PortNum out = port(i, s); out != kNoPort) {
          for (const LidRuns::Run& run : runs.of(i)) std::fill(row + run.first, row + run.end, out);
        }
      }
    }
  });
  return tables;
}

}  // namespace espalier
