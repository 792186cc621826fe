// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The LIDs that OpenSM is going to assign once it has become master, before it does: those that ports have, those of its file
// guid2lid, and for other ports the first that are free. A guess, for work that is thrown away where it is wrong.
#pragma once

#include <cstdint>
#include <vector>

struct osm_opensm;
struct osm_port;

namespace espalier {

// As lid_mgr_set_physp_pi() has it.
[[nodiscard]] std::uint8_t lmc_to_have(const osm_opensm& osm, const osm_port& port);

// Base LIDs by place in port_guid_tbl; 0: none is left. REQUIRES: OpenSM's lock is held.
[[nodiscard]] std::vector<std::uint16_t> foreseen_lids(const osm_opensm& osm);

}  // namespace espalier
