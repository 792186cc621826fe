// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/tree_of_levels.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fabric/endport_role.h"
#include "core/tree/levels.h"

namespace espalier {
namespace {

// Of two ends on one level the one with fewer hosts is the upper, then the one nearer to the middle of its row, then
// the one with the higher GUID.
IdVector<SwitchId, std::uint32_t> positions(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& level) {
  const auto hosts = count_hosts(fabric);
  const auto depth = depths_in_rows(fabric, hosts, level);
  std::vector<SwitchId> order;
  for (const SwitchId s : fabric.switches()) order.push_back(s);
  std::sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) {
    return std::tuple(level[a], hosts[b], depth[b], a) < std::tuple(level[b], hosts[a], depth[a], b);
  });
  IdVector<SwitchId, std::uint32_t> position(fabric.num_switches());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

}  // namespace

FatTree tree_of_levels(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& level, TreeContext context) {
  IdVector<SwitchId, Level> levels(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) levels[s] = id_at<Level>(level[s]);
  return FatTree(fabric, std::move(levels), positions(fabric, level), std::move(context));
}

}  // namespace espalier
