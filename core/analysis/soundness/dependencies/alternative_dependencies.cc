// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ChannelDependencies of alternative ports. LIDs with the same ports at all switches, but for the last hop, and with the
// class of the one before have its dependencies and are done: the hosts of one switch are.
#include <optional>

#include "core/analysis/soundness/dependencies/alternative_trace.h"
#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/check.h"

namespace espalier {
namespace {

// Per switch the ports for `lid` that lead to switches.
std::vector<PortSet> column_of(const AlternativePorts& alternatives, const IdVector<SwitchId, PortSet>& to_switches,
                               Lid lid) {
  std::vector<PortSet> column(to_switches.size());
  for (const SwitchId s : to_switches.ids()) column[index(s)] = alternatives.at(s, lid) & to_switches[s];
  return column;
}

IdVector<SwitchId, PortSet> ports_to_switches(const Fabric& fabric) {
  IdVector<SwitchId, PortSet> ports(fabric.num_switches());
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s))
      if (fabric.peer(s, p).is_switch()) ports[s].set(index(p));
  return ports;
}

}  // namespace

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const AlternativePorts& alternatives,
                                         const Lanes& lanes) {
  check(alternatives.num_switches() == fabric.num_switches(), "alternatives of another fabric");
  lay_out(fabric, lanes.num_vls());
  const IdVector<SwitchId, PortSet> to_switches = ports_to_switches(fabric);
  AlternativeTrace tracer(fabric, lanes);
  std::vector<PortSet> before;
  std::optional<std::uint32_t> class_before;
  for (const LidRange& range : owned_lids(fabric, alternatives.width()))
    for (std::size_t i = range.first; i < range.end; ++i) {
      const Lid lid = id_at<Lid>(i);
      std::vector<PortSet> column = column_of(alternatives, to_switches, lid);
      const std::uint32_t destination_class = lanes.levels().destination_class(lid);
      if (class_before == destination_class && column == before) continue;
      const AlternativeTrace::Result& found = tracer.trace(lid, column);
      before = std::move(column);
      class_before = destination_class;
      if (found.may_loop) ++faults_.num_looping;
      if (found.discarded_at != kNoSwitch && faults_.num_discarded++ == 0) {
        faults_.at = found.discarded_at;
        faults_.in = found.discarded_in;
        faults_.sl = found.discarded_sl;
        faults_.lid = lid;
      }
      for (const VirtualStep& step : found.steps) add(step.from, step.vl, fabric.port(step.to), step.next_vl);
    }
}

}  // namespace espalier
