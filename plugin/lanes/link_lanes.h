// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many data lanes links between switches have: by their ports, by opensm.conf, and by VL arbitration, which may well
// serve fewer.
#pragma once

#include "plugin/inputs/opensm_options.h"

namespace espalier {

struct Readings;

// The least that a port of a link between switches has; the most that there can be without any link.
struct LinkFigures {
  unsigned possible = 0;      // data lanes
  unsigned in_operation = 0;  // of these at discovery. OpenSM cuts the SL2VL tables of this sweep down to them.
  unsigned low_entries = 0;   // of its tables for VL arbitration that OpenSM writes
  unsigned high_entries = 0;
};
[[nodiscard]] LinkFigures link_figures(const Readings& readings);

// The data lanes that each link has: those that both its ports can have, and max_op_vls.
[[nodiscard]] unsigned lanes_of_links(const OpensmOptions& opensm, const LinkFigures& links);

// So many data lanes, from VL 0 on without a gap, have a weight in what OpenSM writes of qos_vlarb_low and qos_vlarb_high
// into these ports, whose tables may be shorter than the lists; 1 at least.
[[nodiscard]] unsigned served_lanes(const OpensmOptions& opensm, const LinkFigures& links);

}  // namespace espalier
