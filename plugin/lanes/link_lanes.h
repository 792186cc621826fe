// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many data lanes links between switches have: by their ports, by opensm.conf, and by VL arbitration, which may well
// serve fewer.
#pragma once

extern "C" {
struct osm_opensm;
}

namespace espalier {

// The data lanes that each link has: those that both its ports can have, and max_op_vls; 15 without any link.
[[nodiscard]] unsigned lanes_of_links(const osm_opensm& osm);

// The lanes that each link has in operation, as its ports said at discovery; 15 without any link. OpenSM cuts the SL2VL
// tables of this sweep down to them.
[[nodiscard]] unsigned lanes_in_operation(const osm_opensm& osm);

// So many data lanes, from VL 0 on without a gap, have a weight in what OpenSM writes of qos_vlarb_low and qos_vlarb_high
// into these ports, whose tables may be shorter than the lists; 1 at least.
[[nodiscard]] unsigned served_lanes(const osm_opensm& osm);

}  // namespace espalier
