// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/hop_counts.h"

#include <algorithm>

#include "core/analysis/routes/hops.h"
#include "plugin/opensm.h"
#include "plugin/subnet/live_switches.h"

namespace espalier {

void write_hop_counts(osm_opensm& osm, const Fabric& fabric, const TableRows& tables) {
  const IdVector<SwitchId, osm_switch_t*> switches = live_switches(osm, fabric);
  std::vector<std::uint32_t> links;
  for (const SwitchId t : fabric.switches()) {
    const Lid lid = fabric.at(t).lid;
    if (lid == kNoLid) continue;
    hops_to(fabric, tables, lid, links);
    for (const SwitchId s : fabric.switches())
      if (const std::uint32_t hops = links[index(s)]; s != t && switches[s] != nullptr && hops != kNoHops)
        osm_switch_set_hops(switches[s], static_cast<std::uint16_t>(index(lid)),
                            static_cast<std::uint8_t>(index(tables.at(s, lid))),
                            static_cast<std::uint8_t>(std::min(hops, 254U)));
  }
}

}  // namespace espalier
