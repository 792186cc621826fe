// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The service level of what switches send to each other, for who wants management traffic on a virtual lane of its own.
#pragma once

#include <cstdint>
#include <optional>

struct osm_opensm;

namespace espalier {

// The SL of the path between two LIDs (host byte order): `switch_sl` where both belong to switches, else `hint`, which
// is what OpenSM computed. REQUIRES: OpenSM's lock is held.
[[nodiscard]] std::uint8_t path_sl(osm_opensm& osm, std::uint16_t from, std::uint16_t to, std::uint8_t hint,
                                   std::optional<unsigned> switch_sl);

}  // namespace espalier
