// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What tests of single steps share: a fabric and what the steps after the closed form take; turns; another order.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engines/closed_form.h"
#include "core/engines/lid_targets.h"
#include "core/fabric/fabric_builder.h"
#include "core/tree/rank.h"

namespace espalier::test {

struct Steps {
  explicit Steps(Fabric f)
      : fabric(std::move(f)),
        tree(*rank(fabric)),
        costs(tree),
        order(topological_order(tree, costs)),
        targets(tree, order),
        tables(closed_form(tree, costs, order)) {}
  Fabric fabric;
  FatTree tree;
  UpDownCosts costs;
  NodeOrder order;
  LidTargets targets;
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

// Adds switches, end ports and cables in another order than the fabric's own.
[[nodiscard]] inline Fabric shuffled(const Fabric& fabric, unsigned seed) {
  std::mt19937 random(seed);
  FabricBuilder builder;
  std::vector<SwitchId> switches;
  std::vector<EndportId> endports;
  for (const SwitchId s : fabric.switches()) switches.push_back(s);
  for (const EndportId e : fabric.endports()) endports.push_back(e);
  std::shuffle(switches.begin(), switches.end(), random);
  std::shuffle(endports.begin(), endports.end(), random);
  IdVector<SwitchId, FabricBuilder::SwitchHandle> s_handle(fabric.num_switches());
  IdVector<EndportId, FabricBuilder::EndportHandle> e_handle(fabric.num_endports());
  for (const SwitchId s : switches) s_handle[s] = builder.add_switch(fabric.at(s));
  for (const EndportId e : endports) e_handle[e] = builder.add_endport(fabric.at(e));
  for (const SwitchId s : switches)
    for (std::size_t p = fabric.at(s).num_ports; p >= 1; --p) {
      const Peer peer = fabric.peer(s, id_at<PortNum>(p));
      if (peer.is_endport()) builder.connect(s_handle[s], id_at<PortNum>(p), e_handle[peer.as_endport()]);
      if (peer.is_switch() && s < peer.as_switch())
        builder.connect(s_handle[peer.as_switch()], peer.port, s_handle[s], id_at<PortNum>(p));
    }
  return *std::move(builder).build();
}

}  // namespace espalier::test
