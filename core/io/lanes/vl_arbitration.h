// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The tables of VL arbitration that opensm.conf asks for. A virtual lane without weight in both is never sent from, and what
// is mapped to it stays where it is.
#pragma once

#include <string>

namespace espalier {

// "VL:WEIGHT,..." as in qos_vlarb_low and qos_vlarb_high, with OpenSM's defaults.
struct VlArbitration {
  std::string low = "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4";
  std::string high = "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0";
};

inline constexpr unsigned kMostVlArbEntries = 64;  // of a table

// So many data lanes, from VL 0 on without a gap, have a weight among the first entries of a list, as OpenSM reads lists; 1
// at least. Ports have room for `low_entries` and `high_entries`.
[[nodiscard]] unsigned served_lanes(const VlArbitration& lists, unsigned low_entries = kMostVlArbEntries,
                                    unsigned high_entries = kMostVlArbEntries);

}  // namespace espalier
