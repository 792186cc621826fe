// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes that switches serve at all. A virtual lane without weight in both tables of VL arbitration is never sent from,
// and what is mapped to it stays where it is; opensm.conf may well name fewer lanes than the links have.
#pragma once

extern "C" {
struct osm_opensm;
}

namespace espalier {

// So many data lanes, from VL 0 on without a gap, have a weight in qos_vlarb_low or qos_vlarb_high, as OpenSM reads them for
// the external ports of switches; 1 at least.
[[nodiscard]] unsigned weighted_lanes(const osm_opensm& osm);

}  // namespace espalier
