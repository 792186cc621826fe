// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/node_order.h"

#include <algorithm>

namespace espalier {
namespace {

// Appends the switches of [first, last), which ascend by id, to `out` so that near ones are neighbours.
void order_by_distance(const UpDownCosts& costs, std::vector<SwitchId>::iterator first,
                       std::vector<SwitchId>::iterator last, std::vector<SwitchId>& out) {
  while (first != last) {
    const SwitchId origin = *first;
    const auto distance = [&](SwitchId s) { return costs.cost(origin, s); };
    std::stable_sort(first, last, [&](SwitchId a, SwitchId b) { return distance(a) < distance(b); });
    out.push_back(*first++);
    if (first == last) return;
    const auto nearest_end =
        std::find_if(first, last, [&, nearest = distance(*first)](SwitchId s) { return distance(s) != nearest; });
    out.insert(out.end(), first, nearest_end);
    first = nearest_end;
    // What remains is in rings around `origin`; each ring is ordered like a fabric of its own.
    if (first == last) return;
    const auto ring_end =
        std::find_if(first, last, [&, ring = distance(*first)](SwitchId s) { return distance(s) != ring; });
    if (ring_end == last) continue;
    order_by_distance(costs, first, ring_end, out);
    first = ring_end;
    std::sort(first, last);
  }
}

}  // namespace

NodeOrder topological_order(const FatTree& tree, const UpDownCosts& costs) {
  const Fabric& fabric = tree.fabric();
  NodeOrder order;
  order.of_endport = IdVector<EndportId, std::uint32_t>(fabric.num_endports());
  order.of_switch = IdVector<SwitchId, std::uint32_t>(fabric.num_switches());

  std::vector<SwitchId> host_switches;
  for (const SwitchId s : fabric.switches())
    if (!tree.hosts(s).empty()) host_switches.push_back(s);
  std::vector<SwitchId> ordered;
  order_by_distance(costs, host_switches.begin(), host_switches.end(), ordered);
  std::size_t ids_per_switch = 0;
  for (const SwitchId s : ordered) ids_per_switch = std::max(ids_per_switch, tree.hosts(s).size());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    std::size_t id = i * ids_per_switch;
    for (const EndportId e : tree.hosts(ordered[i])) {
      order.of_endport[e] = static_cast<std::uint32_t>(id++);
      order.hosts.push_back(e);
    }
  }

  std::vector<std::uint32_t> next(tree.num_levels());
  for (const SwitchId s : fabric.switches()) order.of_switch[s] = next[index(tree.level(s))]++;
  std::vector<bool> is_host(fabric.num_endports());
  for (const EndportId e : order.hosts) is_host[index(e)] = true;
  for (const EndportId e : fabric.endports())
    if (!is_host[index(e)] && fabric.at(e).leaf != kNoSwitch) order.of_endport[e] = order.of_switch[fabric.at(e).leaf];
  return order;
}

std::uint8_t least_lmc(const Fabric& fabric, const NodeOrder& order) {
  std::uint8_t lmc = order.hosts.empty() ? 0 : kMaxLmc;
  for (const EndportId e : order.hosts) lmc = std::min(lmc, fabric.at(e).lmc);
  return lmc;
}

}  // namespace espalier
