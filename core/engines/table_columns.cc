// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/table_columns.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/parallel.h"

namespace espalier {
namespace {

// What leads to the LIDs of one switch.
std::vector<TableColumn> columns_to(SwitchId to, std::vector<Lid> lids, const ForwardingTables& tables,
                                    const LidKind& kind) {
  std::vector<TableColumn> columns;
  while (!lids.empty()) {
    const Lid first = lids.front();
    TableColumn column{.to = to, .lids = {}, .ports = std::vector<PortNum>(tables.num_switches())};
    std::vector<std::uint8_t> differs(lids.size());
    if (kind) std::ranges::transform(lids, differs.begin(), [&](Lid lid) { return kind(lid) != kind(first) ? 1 : 0; });
    for (std::size_t s = 0; s < tables.num_switches(); ++s) {
      const auto row = tables.row(id_at<SwitchId>(s));
      column.ports[s] = row[index(first)];
      if (s == index(to)) continue;
      for (std::size_t i = 0; i < lids.size(); ++i)
        if (row[index(lids[i])] != row[index(first)]) differs[i] = 1;
    }
    column.ports[index(to)] = kManagementPort;
    std::vector<Lid> others;
    for (std::size_t i = 0; i < lids.size(); ++i) (differs[i] != 0 ? others : column.lids).push_back(lids[i]);
    columns.push_back(std::move(column));
    lids = std::move(others);
  }
  return columns;
}

}  // namespace

std::vector<TableColumn> table_columns(const Fabric& fabric, const ForwardingTables& tables, const LidKind& kind) {
  IdVector<SwitchId, std::vector<Lid>> lids(fabric.num_switches());
  for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i)
    if (const SwitchId to = fabric.destination_switch(id_at<Lid>(i)); to != kNoSwitch)
      lids[to].push_back(id_at<Lid>(i));
  IdVector<SwitchId, std::vector<TableColumn>> found(fabric.num_switches());
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId to = id_at<SwitchId>(i);
    found[to] = columns_to(to, std::move(lids[to]), tables, kind);
  });
  std::vector<TableColumn> columns;
  for (std::vector<TableColumn>& of_switch : found) std::ranges::move(of_switch, std::back_inserter(columns));
  std::ranges::sort(columns, {}, [](const TableColumn& column) { return column.lids.front(); });
  return columns;
}

}  // namespace espalier
