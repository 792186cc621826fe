// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/live_switches.h"

#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"

namespace espalier {

IdVector<SwitchId, osm_switch*> live_switches(const osm_opensm& osm, const Fabric& fabric) {
  IdVector<SwitchId, osm_switch*> switches(fabric.num_switches(), nullptr);
  for (osm_switch_t* const sw : items_of<osm_switch_t>(osm.subn.sw_guid_tbl)) {
    const SwitchId s = fabric.find_switch(Guid{cl_ntoh64(cl_qmap_key(&sw->map_item))});
    if (s != kNoSwitch) switches[s] = sw;
  }
  return switches;
}

}  // namespace espalier
