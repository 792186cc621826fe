// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/link_lanes.h"

#include <algorithm>

#include "core/io/lanes/vl_arbitration.h"
#include "core/io/lanes/vl_code.h"
#include "plugin/opensm.h"
#include "plugin/subnet/live_ports.h"

namespace espalier {
namespace {

// The least figure of a port of a link between switches, by its PortInfo; `most` without any link.
template <class Figure>
unsigned least(const osm_opensm& osm, unsigned most, Figure figure) {
  unsigned found = most;
  const LivePorts live(osm.subn);
  const cl_qmap_t& switches = osm.subn.sw_guid_tbl;
  for (const cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i)) {
    const osm_switch_t& sw = *reinterpret_cast<const osm_switch_t*>(i);
    for (std::uint32_t p = 1; p < sw.num_ports && p < sw.p_node->physp_tbl_size; ++p) {
      const osm_physp_t& port = sw.p_node->physp_table[p];
      if (osm_physp_is_valid(&port) == 0 || !live.has(port.p_remote_physp)) continue;
      if (port.p_remote_physp->p_node->sw == nullptr || osm_physp_get_port_state(&port) <= IB_LINK_DOWN) continue;
      found = std::min(found, figure(port.port_info));
    }
  }
  return found;
}

// How many entries of a list OpenSM writes into a table with so much room. Without room it writes none, and what the port
// has there of its own is not known: as if all were there.
unsigned entries_written(unsigned room) {
  constexpr unsigned kBlock = IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK;
  if (room == 0) return kMostVlArbEntries;
  return room <= kBlock ? room : kBlock + room % kBlock;
}

const char* first_of(const char* first, const char* second, const char* otherwise) {
  return first != nullptr ? first : second != nullptr ? second : otherwise;
}

}  // namespace

unsigned lanes_of_links(const osm_opensm& osm) {
  return least(osm, lanes_of_max_op_vls(osm.subn.opt.max_op_vls),
               [](const ib_port_info_t& port) { return lanes_of_code(ib_port_info_get_vl_cap(&port)); });
}

unsigned lanes_in_operation(const osm_opensm& osm) {
  return least(osm, kMostVls, [](const ib_port_info_t& port) { return lanes_of_code(ib_port_info_get_op_vls(&port)); });
}

unsigned served_lanes(const osm_opensm& osm) {
  const osm_qos_options_t& own = osm.subn.opt.qos_swe_options;
  const osm_qos_options_t& all = osm.subn.opt.qos_options;
  const VlArbitration lists{first_of(own.vlarb_low, all.vlarb_low, OSM_DEFAULT_QOS_VLARB_LOW),
                            first_of(own.vlarb_high, all.vlarb_high, OSM_DEFAULT_QOS_VLARB_HIGH)};
  return served_lanes(
      lists,
      least(osm, kMostVlArbEntries, [](const ib_port_info_t& port) { return entries_written(port.vl_arb_low_cap); }),
      least(osm, kMostVlArbEntries, [](const ib_port_info_t& port) { return entries_written(port.vl_arb_high_cap); }));
}

}  // namespace espalier
