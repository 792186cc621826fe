// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What tests of single steps share: a fabric and what the steps after the closed form take; orders of hosts; turns.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engines/modulo/closed_form.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier::test {

struct Steps {
  explicit Steps(Fabric f)
      : fabric(std::move(f)),
        tree(*rank(fabric)),
        problem(tree),
        costs(problem.costs),
        order(problem.order),
        tables(closed_form(problem)) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  Fabric fabric;
  FatTree tree;
  RoutingProblem problem;
  const UpDownCosts& costs;
  const NodeOrder& order;
  ForwardingTables tables;
};

// A PGFT without some links.
[[nodiscard]] inline Fabric damaged(std::string_view spec, std::size_t links, std::uint64_t seed,
                                    std::uint8_t lmc = 0) {
  return *degrade(pgft(spec, lmc), {.links = links, .seed = seed});
}

[[nodiscard]] inline std::vector<EndportId> at_random(const Steps& steps, std::uint64_t seed) {
  std::vector<EndportId> hosts = steps.order.hosts;
  for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[(i * 7919 + seed * 104'729) % i]);
  return hosts;
}

struct Turn {
  SwitchId from, at, to;
  auto operator<=>(const Turn&) const = default;
};

// Down into a switch and up out of it again, with whatever LID. `tree` must be the one by which the tables were made.
[[nodiscard]] inline std::set<Turn> turns_of(const FatTree& tree, const ForwardingTables& tables) {
  const Fabric& fabric = tree.fabric();
  const auto next = [&](SwitchId s, Lid lid) {
    const PortNum out = tables.at(s, lid);
    const bool leaves = out == kNoPort || out == kManagementPort || !fabric.peer(s, out).is_switch();
    return leaves ? kNoSwitch : fabric.peer(s, out).as_switch();
  };
  const auto is_above = [&](SwitchId a, SwitchId b) {
    for (const PortGroup& up : tree.up_groups(b))
      if (up.remote == a) return true;
    return false;
  };
  std::set<Turn> turns;
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid < tables.width(); ++lid) {
      const SwitchId at = next(s, id_at<Lid>(lid));
      const SwitchId to = at == kNoSwitch ? kNoSwitch : next(at, id_at<Lid>(lid));
      if (to != kNoSwitch && is_above(s, at) && is_above(to, at)) turns.insert({s, at, to});
    }
  return turns;
}

}  // namespace espalier::test
