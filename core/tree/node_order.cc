// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/node_order.h"

#include <algorithm>
#include <span>

namespace espalier {
namespace {

constexpr std::size_t kAllPorts = 256;

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

// The ghosts on switch s, ascending by port.
std::span<const HostPlace> ghosts_at(const FatTree& tree, SwitchId s) {
  const std::vector<HostPlace>& all = tree.context().ghosts;
  const Guid guid = tree.fabric().at(s).guid;
  const auto first = std::lower_bound(all.begin(), all.end(), HostPlace{guid, PortNum{0}});
  const auto last = std::find_if(first, all.end(), [&](const HostPlace& place) { return place.at != guid; });
  return {first, last};
}

}  // namespace

NodeOrder topological_order(const FatTree& tree, const UpDownCosts& costs) {
  const Fabric& fabric = tree.fabric();
  NodeOrder order;
  order.of_endport = IdVector<EndportId, std::uint32_t>(fabric.num_endports());
  order.of_switch = IdVector<SwitchId, std::uint32_t>(fabric.num_switches());

  std::vector<SwitchId> host_switches;
  for (const SwitchId s : fabric.switches())
    if (!tree.hosts(s).empty() || !ghosts_at(tree, s).empty()) host_switches.push_back(s);
  std::vector<SwitchId> ordered;
  order_by_distance(costs, host_switches.begin(), host_switches.end(), ordered);
  std::uint32_t next_id = 0;
  for (const SwitchId s : ordered) {
    auto ghosts = ghosts_at(tree, s);
    const auto pass_ghosts_below = [&](std::size_t port) {
      for (; !ghosts.empty() && index(ghosts.front().port) < port; ghosts = ghosts.subspan(1)) ++next_id;
    };
    for (const EndportId e : tree.hosts(s)) {
      const std::size_t port = index(fabric.at(e).leaf_port);
      pass_ghosts_below(port);
      if (!ghosts.empty() && index(ghosts.front().port) == port) ghosts = ghosts.subspan(1);
      order.of_endport[e] = next_id++;
      order.hosts.push_back(e);
    }
    pass_ghosts_below(kAllPorts);
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
