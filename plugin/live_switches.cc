// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/live_switches.h"

#include "plugin/opensm.h"

namespace espalier {

IdVector<SwitchId, osm_switch*> live_switches(const osm_opensm& osm, const Fabric& fabric) {
  IdVector<SwitchId, osm_switch*> switches(fabric.num_switches(), nullptr);
  const cl_qmap_t& all = osm.subn.sw_guid_tbl;
  for (cl_map_item_t* i = cl_qmap_head(&all); i != cl_qmap_end(&all); i = cl_qmap_next(i)) {
    auto* const sw = reinterpret_cast<osm_switch_t*>(i);
    const SwitchId s = fabric.find_switch(Guid{cl_ntoh64(osm_node_get_node_guid(sw->p_node))});
    if (s != kNoSwitch) switches[s] = sw;
  }
  return switches;
}

}  // namespace espalier
