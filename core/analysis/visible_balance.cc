// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/visible_balance.h"

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

std::vector<Lid> lids_of(const Fabric& fabric, const ForwardingTables& tables, const std::vector<EndportId>& hosts) {
  std::vector<Lid> lids;
  for (const EndportId e : hosts)
    for (std::size_t offset = 0; offset < std::size_t{1} << fabric.at(e).lmc; ++offset)
      if (const std::size_t lid = index(fabric.at(e).lid) + offset; fabric.at(e).lid != kNoLid && lid < tables.width())
        lids.push_back(id_at<Lid>(lid));
  return lids;
}

}  // namespace

std::vector<SwitchBalance> visible_balance(const FatTree& tree, const ForwardingTables& tables,
                                           const std::vector<EndportId>& hosts) {
  const Fabric& fabric = tree.fabric();
  check(tables.num_switches() == fabric.num_switches(), "visible_balance: tables of another fabric");
  const std::vector<Lid> lids = lids_of(fabric, tables, hosts);
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
