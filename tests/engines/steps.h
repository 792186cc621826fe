// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What tests of single steps share: a fabric and what the steps after the closed form take; turns.
#pragma once

#include <set>
#include <tuple>
#include <utility>

#include "core/engines/modulo/closed_form.h"
#include "core/tree/rank.h"

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
