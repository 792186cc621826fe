// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/node_order.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace espalier {
namespace {

// By leaf: which comes first when nothing is said about nearness.
using LeafKeys = IdVector<SwitchId, std::uint32_t>;

// Appends the switches of [first, last), which ascend by key, to `out` so that near ones are neighbors.
void order_by_distance(const UpDownCosts& costs, const LeafKeys& keys, std::vector<SwitchId>::iterator first,
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
    order_by_distance(costs, keys, first, ring_end, out);
    first = ring_end;
    std::sort(first, last, [&](SwitchId a, SwitchId b) { return keys[a] < keys[b]; });
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

// Where the middle host of each leaf stands among all, per switch; without an order, and of others: its id.
LeafKeys leaf_keys(const FatTree& tree, const IdVector<EndportId, std::uint32_t>& place) {
  LeafKeys keys(tree.fabric().num_switches());
  std::vector<std::uint32_t> places;
  for (const SwitchId s : tree.fabric().switches()) {
    keys[s] = static_cast<std::uint32_t>(index(s));
    if (place.empty() || tree.hosts(s).empty()) continue;
    places.clear();
    for (const EndportId e : tree.hosts(s)) places.push_back(place[e]);
    std::sort(places.begin(), places.end());
    keys[s] = places[(places.size() - 1) / 2];
  }
  return keys;
}

// A host, and how many ghosts are numbered before it; behind the last host none but those.
struct PlacedHost {
  EndportId id = kNoEndport;
  std::uint32_t ghosts_before = 0;
};

// Hosts by port, or in the order of `place`; a ghost follows the host on the next lower port, wherever that stands.
std::vector<PlacedHost> places_on(const FatTree& tree, SwitchId s, const IdVector<EndportId, std::uint32_t>& place) {
  const Fabric& fabric = tree.fabric();
  const auto hosts = tree.hosts(s);
  std::vector<std::uint32_t> ghosts_behind(hosts.size() + 1);  // element 0: before all
  for (const HostPlace& ghost : ghosts_at(tree, s)) {
    std::size_t lower = 0;
    while (lower < hosts.size() && fabric.at(hosts[lower]).leaf_port < ghost.port) ++lower;
    const bool is_there = lower < hosts.size() && fabric.at(hosts[lower]).leaf_port == ghost.port;
    if (!is_there) ++ghosts_behind[lower];
  }
  std::vector<std::size_t> by_job(hosts.size());
  std::iota(by_job.begin(), by_job.end(), std::size_t{0});
  if (!place.empty())
    std::sort(by_job.begin(), by_job.end(), [&](auto a, auto b) { return place[hosts[a]] < place[hosts[b]]; });
  std::vector<PlacedHost> placed;
  std::uint32_t ghosts = ghosts_behind[0];
  for (const std::size_t i : by_job) {
    placed.push_back({hosts[i], ghosts});
    ghosts = ghosts_behind[i + 1];
  }
  placed.push_back({kNoEndport, ghosts});
  return placed;
}

}  // namespace

NodeOrder topological_order(const FatTree& tree, const UpDownCosts& costs, std::span<const EndportId> jobs) {
  const Fabric& fabric = tree.fabric();
  NodeOrder order;
  IdVector<EndportId, std::uint32_t> place;
  if (!jobs.empty()) place = IdVector<EndportId, std::uint32_t>(fabric.num_endports());
  for (std::size_t i = 0; i < jobs.size(); ++i) place[jobs[i]] = static_cast<std::uint32_t>(i);
  const LeafKeys keys = leaf_keys(tree, place);
  order.of_endport = IdVector<EndportId, std::uint32_t>(fabric.num_endports());
  order.of_switch = IdVector<SwitchId, std::uint32_t>(fabric.num_switches());

  std::vector<SwitchId> host_switches;
  for (const SwitchId s : fabric.switches())
    if (!tree.hosts(s).empty() || !ghosts_at(tree, s).empty()) host_switches.push_back(s);
  std::sort(host_switches.begin(), host_switches.end(), [&](SwitchId a, SwitchId b) { return keys[a] < keys[b]; });
  std::vector<SwitchId> ordered;
  order_by_distance(costs, keys, host_switches.begin(), host_switches.end(), ordered);
  std::uint32_t next_id = 0;
  for (const SwitchId s : ordered) {
    for (const PlacedHost& host : places_on(tree, s, place)) {
      next_id += host.ghosts_before;
      if (host.id == kNoEndport) continue;
      order.of_endport[host.id] = next_id++;
      order.hosts.push_back(host.id);
    }
  }
  order.jobs = jobs.empty() ? order.hosts : std::vector<EndportId>(jobs.begin(), jobs.end());

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
