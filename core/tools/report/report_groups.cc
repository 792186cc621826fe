// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/report/report_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/tree/components.h"

namespace espalier::tools {
namespace {

// Parts of the tree that are connected by switches of levels lowest .. highest; the number of its part per switch.
IdVector<SwitchId, std::uint32_t> parts(const FatTree& tree, std::size_t lowest, std::size_t highest) {
  return components(tree,
                    [&](SwitchId s) { return index(tree.level(s)) >= lowest && index(tree.level(s)) <= highest; });
}

// From left to right: the place of each switch in its row, in units that all levels share.
IdVector<SwitchId, double> places(const FatTree& tree, const std::vector<EndportId>& hosts) {
  const Fabric& fabric = tree.fabric();
  IdVector<SwitchId, double> place(fabric.num_switches(), -1);
  double next = 0;
  for (const EndportId host : hosts)
    if (const SwitchId leaf = fabric.at(host).leaf; leaf != kNoSwitch && place[leaf] < 0) place[leaf] = next++;
  for (const SwitchId s : tree.ascending()) {
    if (index(tree.level(s)) == 0) {
      if (place[s] < 0) place[s] = next++;
      continue;
    }
    double sum = 0;
    for (const PortGroup& group : tree.down_groups(s)) sum += place[group.remote];
    const std::size_t count = tree.down_groups(s).size();
    place[s] = count == 0 ? next++ : sum / static_cast<double>(count);
  }
  return place;
}

using Key = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Key> group_keys(const FatTree& tree, std::size_t level, const std::vector<SwitchId>& row, bool single) {
  const auto below = parts(tree, 0, std::max<std::size_t>(level, 1));
  const auto beside = level < 2 ? below : parts(tree, level - 1, level);
  std::vector<Key> keys;
  keys.reserve(row.size());
  for (const SwitchId s : row)
    keys.push_back(single ? Key{static_cast<std::uint32_t>(index(s)), 0} : Key{below[s], beside[s]});
  return keys;
}

}  // namespace

std::vector<DrawnGroup> drawn_groups(const FatTree& tree, const std::vector<EndportId>& hosts) {
  const Fabric& fabric = tree.fabric();
  const bool single = fabric.num_switches() <= kMaxSingleSwitches;
  const IdVector<SwitchId, double> place = places(tree, hosts);
  std::vector<DrawnGroup> groups;
  for (std::size_t level = 0; level < tree.num_levels(); ++level) {
    std::vector<SwitchId> row;
    for (const SwitchId s : fabric.switches())
      if (index(tree.level(s)) == level) row.push_back(s);
    const std::vector<Key> keys = group_keys(tree, level, row, single);
    std::map<Key, DrawnGroup> by_key;
    for (std::size_t i = 0; i < row.size(); ++i) by_key[keys[i]].switches.push_back(row[i]);

    std::vector<std::pair<double, DrawnGroup>> ordered;
    for (auto& [key, group] : by_key) {
      group.level = level;
      std::stable_sort(group.switches.begin(), group.switches.end(),
                       [&](SwitchId a, SwitchId b) { return place[a] < place[b]; });
      const double sum = std::accumulate(group.switches.begin(), group.switches.end(), 0.0,
                                         [&](double total, SwitchId s) { return total + place[s]; });
      ordered.emplace_back(sum / static_cast<double>(group.switches.size()), std::move(group));
    }
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& item : ordered) groups.push_back(std::move(item.second));
  }
  return groups;
}

std::vector<DrawnGroup> drawn_groups(const Dragonfly& dragonfly) {
  const bool single = dragonfly.fabric().num_switches() <= kMaxSingleSwitches;
  std::vector<DrawnGroup> groups;
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    if (!single) groups.push_back({g, dragonfly.routers(g)});
    for (const SwitchId s : dragonfly.routers(g))
      if (single) groups.push_back({g, {s}});
  }
  return groups;
}

std::string group_label(const Fabric& fabric, const DrawnGroup& group) {
  constexpr std::size_t kShortestPrefix = 3;
  const std::string& first = fabric.at(group.switches.front()).description;
  if (group.switches.size() == 1) return first.empty() ? fabric.label(group.switches.front()) : first;
  std::size_t common = first.size();
  for (const SwitchId s : group.switches) {
    const std::string& name = fabric.at(s).description;
    const auto end = std::mismatch(
        first.begin(), first.begin() + static_cast<std::ptrdiff_t>(std::min(common, name.size())), name.begin());
    common = static_cast<std::size_t>(end.first - first.begin());
  }
  if (common < kShortestPrefix) return counted(group.switches.size(), "switch", "switches");
  return fmt::format("{}* ({})", first.substr(0, common), counted(group.switches.size(), "switch", "switches"));
}

}  // namespace espalier::tools
