// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/visible_balance.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

void add(PortSpread& spread, std::uint32_t lids) {
  spread.min = spread.num_ports == 0 ? lids : std::min(spread.min, lids);
  spread.max = std::max(spread.max, lids);
  ++spread.num_ports;
}

std::vector<Lid> endport_lids(const Fabric& fabric, const ForwardingTables& tables) {
  std::vector<Lid> lids;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()) && lid < tables.width(); ++lid)
    if (fabric.endport_of(id_at<Lid>(lid)) != kNoEndport) lids.push_back(id_at<Lid>(lid));
  return lids;
}

}  // namespace

std::vector<SwitchBalance> visible_balance(const FatTree& tree, const ForwardingTables& tables) {
  const Fabric& fabric = tree.fabric();
  check(tables.num_switches() == fabric.num_switches(), "visible_balance: tables of another fabric");
  const std::vector<Lid> lids = endport_lids(fabric, tables);
  std::vector<SwitchBalance> balance(fabric.num_switches());
  parallel_for(balance.size(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    std::vector<std::uint32_t> count(256);
    for (const Lid lid : lids) ++count[index(tables.at(s, lid))];
    for (const PortGroup& group : tree.up_groups(s))
      for (const PortNum port : tree.ports(group)) {
        add(balance[i].all, count[index(port)]);
        add(balance[i].up, count[index(port)]);
      }
    for (const PortGroup& group : tree.down_groups(s))
      for (const PortNum port : tree.ports(group)) add(balance[i].all, count[index(port)]);
  });
  return balance;
}

}  // namespace espalier
