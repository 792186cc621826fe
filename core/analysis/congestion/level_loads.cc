// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/level_loads.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace espalier {

namespace {
constexpr std::uint64_t kMostBins = 16;
}

double LevelLoad::mean() const {
  const auto sum = static_cast<double>(std::accumulate(sorted.begin(), sorted.end(), std::uint64_t{0}));
  return sorted.empty() ? 0 : sum / static_cast<double>(sorted.size());
}

std::uint64_t LevelLoad::bin_width() const { return sorted.empty() ? 1 : sorted.back() / kMostBins + 1; }

std::vector<std::uint64_t> LevelLoad::bins() const {
  if (sorted.empty()) return {};
  std::vector<std::uint64_t> bins(sorted.back() / bin_width() + 1);
  for (const std::uint64_t flows : sorted) ++bins[flows / bin_width()];
  return bins;
}

std::vector<LevelLoad> level_loads(const FatTree& tree, std::span<const std::uint64_t> flows) {
  const Fabric& fabric = tree.fabric();
  check(flows.size() == fabric.num_channels(), "level_loads: loads of another fabric");
  std::vector<LevelLoad> loads;
  for (std::size_t i = 0; i < 2 * tree.num_levels(); ++i)
    loads.push_back({Level{static_cast<std::uint8_t>(i / 2)},
                     i % 2 == 0 ? LevelLoad::Direction::kUp : LevelLoad::Direction::kDown,
                     {}});
  for (const SwitchId lower : fabric.switches())
    for (const PortGroup& group : tree.up_groups(lower))
      for (const PortNum port : tree.ports(group)) {
        const std::size_t level = index(tree.level(lower));
        loads[2 * level].sorted.push_back(flows[index(fabric.channel(lower, port))]);
        const PortNum back = fabric.peer(lower, port).port;
        loads[2 * level + 1].sorted.push_back(flows[index(fabric.channel(group.remote, back))]);
      }
  std::erase_if(loads, [](const LevelLoad& load) { return load.sorted.empty(); });
  for (LevelLoad& load : loads) std::sort(load.sorted.begin(), load.sorted.end());
  return loads;
}

}  // namespace espalier
