// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/live_switches.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"

namespace espalier {

IdVector<SwitchId, osm_switch*> live_switches(const osm_opensm& osm, const Fabric& fabric) {
  // Both by GUID: the map's keys are in network byte order.
  std::vector<std::pair<Guid, osm_switch_t*>> live;
  for (osm_switch_t* const sw : items_of<osm_switch_t>(osm.subn.sw_guid_tbl))
    live.emplace_back(Guid{cl_ntoh64(cl_qmap_key(&sw->map_item))}, sw);
  std::sort(live.begin(), live.end());
  IdVector<SwitchId, osm_switch*> switches(fabric.num_switches(), nullptr);
  auto next = live.begin();
  for (const SwitchId s : fabric.switches()) {
    while (next != live.end() && next->first < fabric.at(s).guid) ++next;
    if (next != live.end() && next->first == fabric.at(s).guid) switches[s] = next->second;
  }
  return switches;
}

}  // namespace espalier
