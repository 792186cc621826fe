// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/leiserson.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/perfect_pgft.h"
#include "core/engines/up_down_engine.h"

namespace espalier {
namespace {

std::size_t links(std::span<const PortGroup> groups) {
  std::size_t sum = 0;
  for (const PortGroup& g : groups) sum += g.num_ports;
  return sum;
}

// A step for up_down_engine.h: the closed form, but one path down for all offsets of a destination.
ForwardingTables leiserson(const RoutingProblem& problem) {
  ForwardingTables tables = closed_form(problem);
  for (const EndportId e : problem.order.hosts) {
    const Endport& host = problem.fabric.at(e);
    for (const SwitchId s : problem.fabric.switches()) {
      if (problem.costs.down_cost(s, host.leaf) == kUnreachable) continue;
      for (const Lid lid : lids_of(host)) tables.set(s, lid, tables.at(s, host.lid));
    }
  }
  return tables;
}

Status check_leiserson(const RoutingProblem& problem) {
  if (Status perfect = check_perfect_pgft(problem); !perfect) return perfect;
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  for (const SwitchId s : fabric.switches()) {
    const auto up = tree.up_groups(s);
    if (up.size() > 1)
      return fail(
          fmt::format("{} has {} above it, not one", fabric.label(s), counted(up.size(), "switch", "switches")));
    const std::size_t below = tree.hosts(s).size() + links(tree.down_groups(s));
    if (!up.empty() && links(up) < below)
      return fail(
          fmt::format("{} has {} for {} below", fabric.label(s), counted(links(up), "uplink"), counted(below, "port")));
  }
  return {};
}

SourceOffsets offsets_of_sources(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  const NodeOrder& order = problem.order;
  SourceOffsets offsets{{}, IdVector<EndportId, std::uint8_t>(fabric.num_endports())};
  std::size_t uplinks = 1;
  for (const SwitchId s : fabric.switches()) uplinks = std::max(uplinks, links(tree.up_groups(s)));
  std::size_t radix = std::min(uplinks, std::size_t{1} << least_lmc(fabric, order));
  while (uplinks % radix != 0) --radix;
  if (radix == 1) return offsets;
  offsets.radices.push_back(static_cast<std::uint32_t>(radix));
  for (const EndportId e : order.hosts) offsets.number[e] = static_cast<std::uint8_t>(order.of_endport[e] % radix);
  return offsets;
}

}  // namespace

Result<Routing> Leiserson::route(const FatTree& tree) const {
  const RoutingProblem problem(tree);
  if (const Status whole = check_leiserson(problem); !whole)
    return fail(fmt::format("leiserson is defined only for complete Leiserson trees: {}", whole.error().message),
                "use dmodc, which routes every fabric");
  Result<Routing> routing = route_on_levels(problem, leiserson, {switch_paths_, {}});
  if (routing) routing->source_offsets = offsets_of_sources(problem);
  return routing;
}

}  // namespace espalier
