// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/dragonfly.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string_view>

#include "core/base/sort_unique.h"
#include "core/base/try.h"
#include "core/dragonfly/detect.h"
#include "core/dragonfly/grids.h"
#include "core/fabric/rules/host_name.h"

namespace espalier::packets {

struct DragonflyParts {
  std::vector<std::uint32_t> of_router;  // number of its group
  std::uint32_t count = 0;
};

namespace {

DragonflyParts parts_of(const espalier::Dragonfly& found) {
  DragonflyParts parts{.of_router = std::vector<std::uint32_t>(found.fabric().num_switches()),
                       .count = static_cast<std::uint32_t>(found.num_groups())};
  for (std::uint32_t g = 0; g < parts.count; ++g)
    for (const SwitchId s : found.routers(g)) parts.of_router[index(s)] = g;
  return parts;
}

// Routers whose names differ only in the last number. Some sparse grids do not show in cabling alone.
DragonflyParts parts_by_names(const Fabric& fabric) {
  DragonflyParts parts;
  std::map<std::string_view, std::uint32_t> number;
  for (const SwitchId s : fabric.switches()) {
    std::string_view name = fabric.at(s).description;
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name.remove_suffix(1);
    parts.of_router.push_back(number.try_emplace(name, number.size()).first->second);
  }
  parts.count = static_cast<std::uint32_t>(number.size());
  return parts;
}

}  // namespace

void Dragonfly::number(const Fabric& fabric, const std::vector<std::uint32_t>& part, std::uint32_t num_parts) {
  std::vector<Router> order(part.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](Router a, Router b) {
    return natural_less(fabric.at(SwitchId{a}).description, fabric.at(SwitchId{b}).description);
  });
  num_groups_ = num_parts;
  size_.assign(num_parts, 0);
  std::vector<std::uint32_t> group_of_part(num_parts, kNone);
  group_.resize(part.size());
  member_.resize(part.size());
  std::uint32_t groups = 0;
  for (const Router r : order) {
    if (group_of_part[part[r]] == kNone) group_of_part[part[r]] = groups++;
    group_[r] = group_of_part[part[r]];
    member_[r] = size_[group_[r]]++;
  }
  group_size_ = *std::max_element(size_.begin(), size_.end());
  router_.assign(std::size_t{num_groups_} * group_size_, kNone);
  for (const Router r : order) router_[group_[r] * group_size_ + member_[r]] = r;
}

Status Dragonfly::sort_ports(Network& network) {
  leads_to_.assign(network.num_ports(), kNone);
  local_ports_.assign(network.num_routers(), 0);
  global_ports_.assign(network.num_routers(), 0);
  for (Port p = 0; p < network.num_ports(); ++p) {
    PortEnd& port = network.ports[p];
    if (port.kind == PortClass::kNode) continue;
    if (port.position >= kMostPositions)
      return fail("a switch of the dragonfly has more than 64 links", "simulate tables instead");
    const Router peer = network.ports[port.peer].router;
    const std::uint64_t bit = std::uint64_t{1} << port.position;
    if (group_[peer] == group_[port.router]) {
      port.kind = PortClass::kLocal;
      local_ports_[port.router] |= bit;
    } else {
      port.kind = PortClass::kGlobal;
      global_ports_[port.router] |= bit;
      leads_to_[p] = group_[peer];
    }
  }
  return {};
}

UpDown::Neighbors Dragonfly::neighbors_in(std::uint32_t group, const Network& network) const {
  UpDown::Neighbors neighbors(size_[group]);
  for (std::uint32_t m = 0; m < size_[group]; ++m) {
    const Router r = router(group, m);
    for (Port p = network.first_port[r]; p < network.first_port[r + 1]; ++p)
      if (network.ports[p].kind == PortClass::kLocal) neighbors[m].push_back(member_[network.ports[p].neighbor]);
    sort_unique(neighbors[m]);
  }
  return neighbors;
}

// Groups are grids if they have too few links for complete graphs that have lost some: a grid has at most two thirds of
// a complete graph's. Most of them have to be whole, or all together known as damaged grids.
Status Dragonfly::find_shapes(const Network& network, bool are_known_grids) {
  std::vector<UpDown::Neighbors> neighbors;
  std::size_t ends = 0;
  std::size_t possible = 0;
  for (std::uint32_t g = 0; g < num_groups_; ++g) {
    neighbors.push_back(neighbors_in(g, network));
    for (const auto& of_one : neighbors[g]) ends += of_one.size();
    possible += std::size_t{size_[g]} * (size_[g] - 1);
  }
  const bool grids = 4 * ends < 3 * possible;
  whole_.assign(num_groups_, 1);
  damaged_.resize(num_groups_);
  if (grids) place_.resize(network.num_routers());
  std::uint32_t num_damaged = 0;
  for (std::uint32_t g = 0; g < num_groups_; ++g) {
    const auto is_next_to_all = [&](const auto& of_one) { return of_one.size() + 1 == size_[g]; };
    const auto fit = grids ? fit_grid(neighbors[g]) : std::nullopt;
    const bool is_grid = fit && fit->is_whole();
    for (std::uint32_t m = 0; is_grid && m < size_[g]; ++m) place_[router(g, m)] = fit->places[m];
    if (is_grid || (!grids && std::all_of(neighbors[g].begin(), neighbors[g].end(), is_next_to_all))) continue;
    ++num_damaged;
    ESPALIER_TRY_STATUS(find_damage(g, std::move(neighbors[g])));
  }
  if (grids && !are_known_grids && 2 * num_damaged > num_groups_)
    return fail("the groups of this dragonfly are neither complete graphs nor grids",
                "give tables (espalier route), or a policy for trees (--policy adaptive)");
  return {};
}

void Dragonfly::list_local_ports(const Network& network) {
  local_port_.assign(std::size_t{network.num_routers()} * group_size_, kNone);
  parallel_.assign(network.num_ports(), 0);
  next_parallel_.assign(network.num_ports(), kNone);
  for (Port p = network.num_ports(); p-- > 0;) {  // downward, so that the first comes to stand in front
    const PortEnd& port = network.ports[p];
    if (port.kind != PortClass::kLocal) continue;
    Port& first = local_port_[port.router * group_size_ + member_[port.neighbor]];
    parallel_[p] = static_cast<std::uint8_t>(1 + (first == kNone ? 0 : parallel_[first]));
    next_parallel_[p] = first;
    first = p;
  }
  if (has_grids()) list_ports_in_grid();
  for (std::uint32_t g = 0; g < num_groups_; ++g)
    if (!is_whole(g)) list_ports_in_damaged(g, network);
}

void Dragonfly::list_ports_in_grid() {
  for (Router r = 0; r < group_.size(); ++r)
    for (std::uint32_t m = 0; is_whole(group_[r]) && m < size_[group_[r]]; ++m) {
      const Router to = router(group_[r], m);
      if (local_hops(r, to) != 2) continue;
      for (std::uint32_t corner = 0; corner < size_[group_[r]]; ++corner) {
        const Router c = router(group_[r], corner);
        if (place_[c].row == place_[r].row && place_[c].column == place_[to].column)
          local_port_[r * group_size_ + m] = local_port_[r * group_size_ + corner];
      }
    }
}

Port Dragonfly::other_parallel(Port first, std::uint32_t k) const {
  for (; k > 0; --k) first = next_parallel_[first];
  return first;
}

Status Dragonfly::list_exits(const Network& network) {
  const std::size_t pairs = std::size_t{num_groups_} * num_groups_;
  linked_.assign(pairs, 0);
  for (Port p = 0; p < network.num_ports(); ++p)
    if (leads_to_[p] != kNone) linked_[group_[network.ports[p].router] * num_groups_ + leads_to_[p]] = 1;
  const std::size_t num_linked = std::accumulate(linked_.begin(), linked_.end(), std::size_t{0});
  all_linked_ = num_linked == pairs - num_groups_;
  if (4 * num_linked < 3 * (pairs - num_groups_))
    return fail("fewer than three quarters of the pairs of groups are cabled", "simulate tables instead");
  exits_ = FlatLists<Exit>(pairs, [&](const auto& add) {
    for (Port p = 0; p < network.num_ports(); ++p) {
      if (leads_to_[p] == kNone) continue;
      const Exit exit{network.ports[p].router, p};
      const std::uint32_t from = group_[exit.router];
      for (std::uint32_t to = 0; to < num_groups_; ++to)
        if (to == leads_to_[p] || (to != from && !linked(from, to) && linked(leads_to_[p], to)))
          add(std::size_t{from} * num_groups_ + to, exit);
    }
  });
  for (std::size_t i = 0; i < pairs; ++i)
    if (exits_.at(i).empty() && i / num_groups_ != i % num_groups_)
      return fail("two groups of the dragonfly have neither a link nor a third group that both are cabled to",
                  "simulate tables instead");
  return {};
}

// A path is most often the only minimal one, and then a hop reads no more than a byte.
void Dragonfly::list_only_positions(const Network& network) {
  only_position_.assign(first_column(network.num_routers()), kSeveral);
  for (Router r = 0; r < group_.size(); ++r) {
    seat_.push_back(
        {network.first_port[r], static_cast<std::uint16_t>(group_[r]), static_cast<std::uint16_t>(member_[r])});
    const auto set = [&](std::uint32_t column, Port port) {
      if (port != kNone) only_position_[first_column(r) + column] = network.ports[port].position;
    };
    for (std::uint32_t g = 0; g < num_groups_; ++g)
      if (g != group_[r]) set(g, find_only_port(r, g));
    for (std::uint32_t m = 0; m < size_[group_[r]]; ++m)
      if (m != member_[r]) set(num_groups_ + m, find_only_local(r, m));
  }
}

Port Dragonfly::find_only_local(Router r, std::uint32_t member) const {
  const Port port = local_port(r, member);
  return port != kNone && parallel_[port] == 1 ? port : kNone;
}

Port Dragonfly::find_only_port(Router r, std::uint32_t group) const {
  const std::span<const Exit> out = exits(group_[r], group);
  const auto is_own = [&](const Exit& exit) { return exit.router == r; };
  const auto own = std::count_if(out.begin(), out.end(), is_own);
  if (own > 0) return own == 1 ? std::find_if(out.begin(), out.end(), is_own)->port : kNone;
  return out.size() == 1 ? find_only_local(r, member_[out[0].router]) : kNone;
}

Result<Dragonfly> Dragonfly::from_parts(const Fabric& fabric, const DragonflyParts& parts, Network& network,
                                        Damage damage) {
  if (parts.count < 2) return fail("this fabric has no groups");
  Dragonfly dragonfly;
  dragonfly.number(fabric, parts.of_router, parts.count);
  if (damage == Damage::kRefused && parts.of_router.size() != std::size_t{parts.count} * dragonfly.group_size())
    return fail("the groups of this dragonfly are not of one size");
  ESPALIER_TRY_STATUS(dragonfly.sort_ports(network));
  const bool are_known_grids =
      damage == Damage::kTolerated && are_grids(CablingGraph(fabric), GroupOfSwitch(parts.of_router));
  ESPALIER_TRY_STATUS(dragonfly.find_shapes(network, are_known_grids));
  dragonfly.list_local_ports(network);
  ESPALIER_TRY_STATUS(dragonfly.list_exits(network));
  dragonfly.list_ports_out(network);
  dragonfly.list_paths_to_exits();
  dragonfly.list_only_positions(network);
  if (damage == Damage::kRefused && !dragonfly.is_whole()) return fail("links of this dragonfly are missing");
  return dragonfly;
}

Result<Dragonfly> Dragonfly::find(const Fabric& fabric, Network& network) {
  const Result<espalier::Dragonfly> found = detect_dragonfly(fabric);
  if (found && found->kind() != espalier::Dragonfly::Kind::kRouters)
    return fail("groups of leaves and spines have no policies", "give tables (espalier route)");
  const DragonflyParts by_names = parts_by_names(fabric);
  if (Result<Dragonfly> whole = from_parts(fabric, by_names, network, Damage::kRefused)) return whole;
  Result<Dragonfly> none = found ? fail("") : tl::unexpected(found.error());
  for (const Damage damage : {Damage::kRefused, Damage::kTolerated}) {
    if (!found) break;
    none = from_parts(fabric, parts_of(*found), network, damage);
    if (none) return none;
  }
  if (Result<Dragonfly> named = from_parts(fabric, by_names, network, Damage::kTolerated)) return named;
  for (PortEnd& port : network.ports)
    if (port.kind == PortClass::kGlobal) port.kind = PortClass::kLocal;
  return none;
}

}  // namespace espalier::packets
