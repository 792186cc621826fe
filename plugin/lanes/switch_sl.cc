// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/switch_sl.h"

#include "plugin/opensm.h"

namespace espalier {

std::uint8_t path_sl(osm_opensm& osm, std::uint16_t from, std::uint16_t to, std::uint8_t hint,
                     std::optional<unsigned> switch_sl) {
  const auto is_switch = [&](std::uint16_t lid) {
    const osm_port_t* port = osm_get_port_by_lid_ho(&osm.subn, lid);
    return port != nullptr && osm_node_get_type(port->p_node) == IB_NODE_TYPE_SWITCH;
  };
  return switch_sl && is_switch(from) && is_switch(to) ? static_cast<std::uint8_t>(*switch_sl) : hint;
}

}  // namespace espalier
