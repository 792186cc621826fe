// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/compatible_tables.h"

#include <algorithm>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/base/check.h"

namespace espalier {
namespace {

constexpr std::uint8_t kOnlyVl = 0;

// Owned LIDs of which some switch has another entry.
std::vector<Lid> changed_lids(const Fabric& fabric, const ForwardingTables& before, const ForwardingTables& after) {
  const std::size_t count = std::min(before.width(), index(fabric.top_lid()) + 1);
  std::vector<std::uint8_t> is_changed(count);
  for (const SwitchId s : fabric.switches()) {
    const auto was = before.row(s);
    const auto is = after.row(s);
    for (std::size_t lid = 1; lid < count; ++lid)
      is_changed[lid] = static_cast<std::uint8_t>(is_changed[lid] | (was[lid] != is[lid]));
  }
  std::vector<Lid> lids;
  for (std::size_t lid = 1; lid < count; ++lid)
    if (is_changed[lid] != 0 && fabric.is_in_use(id_at<Lid>(lid))) lids.push_back(id_at<Lid>(lid));
  return lids;
}

bool leads_to_switch(const Fabric& fabric, SwitchId s, PortNum port) {
  return port != kManagementPort && index(port) <= fabric.at(s).num_ports && fabric.peer(s, port).is_switch();
}

}  // namespace

bool are_compatible(const Fabric& fabric, const ForwardingTables& before, const ForwardingTables& after) {
  check(before.width() == after.width(), "tables of different widths cannot be compared");
  ChannelDependencies graph(fabric, after);
  const std::vector<Lid> lids = changed_lids(fabric, before, after);
  const ForwardingTables* const both[] = {&before, &after};
  for (const SwitchId s : fabric.switches())
    for (const Lid lid : lids)
      for (const ForwardingTables* own : both) {
        const PortNum out = own->at(s, lid);
        if (!leads_to_switch(fabric, s, out)) continue;
        const SwitchId next = fabric.peer(s, out).as_switch();
        for (const ForwardingTables* other : both)
          if (const PortNum on = other->at(next, lid); leads_to_switch(fabric, next, on))
            graph.add(fabric.channel(s, out), kOnlyVl, on, kOnlyVl);
      }
  return !has_credit_loop(graph);
}

}  // namespace espalier
