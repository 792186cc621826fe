// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/lane_sources.h"

#include <algorithm>

namespace espalier {

IdVector<SwitchId, std::vector<LaneSource>> lane_sources(const Fabric& fabric, const ServiceLevels& levels,
                                                         const LaneMaps& maps, const std::vector<EndportId>* endports) {
  IdVector<SwitchId, std::vector<LaneSource>> at(fabric.num_switches());
  const auto add = [&](SwitchId s, PortNum in, Lid lid) {
    const std::uint32_t source_class = levels.source_class(lid);
    const auto same = [&](const LaneSource& other) {
      return other.source_class == source_class && maps.port_class(s, other.in) == maps.port_class(s, in);
    };
    if (std::none_of(at[s].begin(), at[s].end(), same)) at[s].push_back({in, source_class});
  };
  const auto add_endport = [&](EndportId e) {
    const Endport& endport = fabric.at(e);
    if (endport.leaf == kNoSwitch) return;
    for (const Lid lid : lids_of(endport)) add(endport.leaf, endport.leaf_port, lid);
  };
  if (endports != nullptr) {
    for (const EndportId e : *endports) add_endport(e);
  } else {
    for (const SwitchId s : fabric.switches()) add(s, kManagementPort, fabric.at(s).lid);
    for (const EndportId e : fabric.endports()) add_endport(e);
  }
  return at;
}

}  // namespace espalier
