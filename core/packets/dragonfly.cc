// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/dragonfly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <compare>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

#include "core/base/sort_unique.h"
#include "core/base/try.h"
#include "core/dragonfly/detect.h"

namespace espalier::packets {

struct DragonflyParts {
  std::vector<std::uint32_t> of_router;  // number of its group
  std::uint32_t count = 0;
};

namespace {

// "g10r2" after "g9r2": numbers in names count by value.
std::strong_ordering natural_order(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const auto number = [&](std::string_view& text) {
        while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
        const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
        const std::string_view digits = text.substr(0, end);
        text.remove_prefix(end);
        return digits;
      };
      const std::string_view x = number(a);
      const std::string_view y = number(b);
      if (x.size() != y.size()) return x.size() <=> y.size();
      if (x != y) return x <=> y;
      continue;
    }
    if (a[0] != b[0]) return a[0] <=> b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() <=> b.size();
}

DragonflyParts parts_of(const espalier::Dragonfly& found) {
  DragonflyParts parts{.of_router = std::vector<std::uint32_t>(found.fabric().num_switches()),
                       .count = static_cast<std::uint32_t>(found.num_groups())};
  for (std::uint32_t g = 0; g < parts.count; ++g)
    for (const SwitchId s : found.routers(g)) parts.of_router[index(s)] = g;
  return parts;
}

// Routers whose names differ only in the last number. Large sparse grids do not show in cabling alone.
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
    return natural_order(fabric.at(SwitchId{a}).description, fabric.at(SwitchId{b}).description) < 0;
  });
  num_groups_ = num_parts;
  group_size_ = static_cast<std::uint32_t>(part.size()) / num_parts;
  std::vector<std::uint32_t> group_of_part(num_parts, kNone);
  std::vector<std::uint32_t> members(num_parts, 0);
  group_.resize(part.size());
  member_.resize(part.size());
  router_.resize(part.size());
  std::uint32_t groups = 0;
  for (const Router r : order) {
    if (group_of_part[part[r]] == kNone) group_of_part[part[r]] = groups++;
    group_[r] = group_of_part[part[r]];
    member_[r] = members[group_[r]]++;
    router_[group_[r] * group_size_ + member_[r]] = r;
  }
}

Status Dragonfly::sort_ports(Network& network) {
  leads_to_.assign(network.num_ports(), kNone);
  local_ports_.assign(network.num_routers(), 0);
  global_ports_.assign(network.num_routers(), 0);
  for (Port p = 0; p < network.num_ports(); ++p) {
    PortEnd& port = network.ports[p];
    if (port.kind == PortClass::kNode) continue;
    if (port.position >= 64) return fail("a switch of the dragonfly has more than 64 links", "simulate tables instead");
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

Status Dragonfly::find_places(const Network& network) {
  for (std::uint32_t g = 0; g < num_groups_; ++g) {
    std::vector<std::vector<std::uint32_t>> neighbors(group_size_);
    bool complete = true;
    for (std::uint32_t m = 0; m < group_size_; ++m) {
      const Router r = router(g, m);
      for (Port p = network.first_port[r]; p < network.first_port[r + 1]; ++p)
        if (network.ports[p].kind == PortClass::kLocal) neighbors[m].push_back(member_[network.ports[p].neighbor]);
      sort_unique(neighbors[m]);
      complete = complete && neighbors[m].size() + 1 == group_size_;
    }
    const auto places = complete ? std::nullopt : find_grid(neighbors);
    if (!complete && !places)
      return fail("the groups of this dragonfly are neither complete graphs nor grids",
                  "give tables (espalier route), or a policy for trees (--policy adaptive)");
    if (g > 0 && places.has_value() != has_grids()) return fail("some groups are grids and others are not");
    if (!places) continue;
    place_.resize(network.num_routers());
    for (std::uint32_t m = 0; m < group_size_; ++m) place_[router(g, m)] = (*places)[m];
  }
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
  if (!has_grids()) return;
  for (Router r = 0; r < network.num_routers(); ++r)
    for (std::uint32_t m = 0; m < group_size_; ++m) {
      const Router to = router(group_[r], m);
      if (local_hops(r, to) != 2) continue;
      for (std::uint32_t corner = 0; corner < group_size_; ++corner) {
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
  first_exit_.assign(pairs + 1, 0);
  const auto pair = [&](Port p) { return std::size_t{group_[network.ports[p].router]} * num_groups_ + leads_to_[p]; };
  for (Port p = 0; p < network.num_ports(); ++p)
    if (leads_to_[p] != kNone) ++first_exit_[pair(p) + 1];
  for (std::size_t i = 0; i < pairs; ++i)
    if (first_exit_[i + 1] == 0 && i / num_groups_ != i % num_groups_)
      return fail("two groups of the dragonfly have no link between them", "simulate tables instead");
  std::partial_sum(first_exit_.begin(), first_exit_.end(), first_exit_.begin());
  exits_.resize(first_exit_.back());
  std::vector<std::uint32_t> next(first_exit_.begin(), first_exit_.end() - 1);
  for (Port p = 0; p < network.num_ports(); ++p)
    if (leads_to_[p] != kNone) exits_[next[pair(p)]++] = {network.ports[p].router, p};
  return {};
}

Result<Dragonfly> Dragonfly::from_parts(const Fabric& fabric, const DragonflyParts& parts, Network& network) {
  std::vector<std::size_t> sizes(parts.count, 0);
  for (const std::uint32_t p : parts.of_router) ++sizes[p];
  if (parts.count < 2 || std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) != sizes.end())
    return fail("the groups of this dragonfly are not of one size",
                "give tables (espalier route), or a policy for trees (--policy adaptive)");
  Dragonfly dragonfly;
  dragonfly.number(fabric, parts.of_router, parts.count);
  ESPALIER_TRY_STATUS(dragonfly.sort_ports(network));
  ESPALIER_TRY_STATUS(dragonfly.find_places(network));
  dragonfly.list_local_ports(network);
  ESPALIER_TRY_STATUS(dragonfly.list_exits(network));
  return dragonfly;
}

Result<Dragonfly> Dragonfly::find(const Fabric& fabric, Network& network) {
  const Result<espalier::Dragonfly> found = detect_dragonfly(fabric);
  if (found && found->kind() != espalier::Dragonfly::Kind::kRouters)
    return fail("groups of leaves and spines have no policies", "give tables (espalier route)");
  Result<Dragonfly> by_cabling = found ? from_parts(fabric, parts_of(*found), network) : tl::unexpected(found.error());
  if (by_cabling) return by_cabling;
  Result<Dragonfly> by_names = from_parts(fabric, parts_by_names(fabric), network);
  if (by_names) return by_names;
  for (PortEnd& port : network.ports)
    if (port.kind == PortClass::kGlobal) port.kind = PortClass::kLocal;
  return by_cabling;
}

}  // namespace espalier::packets
