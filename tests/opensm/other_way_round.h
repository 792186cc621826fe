// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes that leave multicast no room.
#pragma once

#include <cstdint>
#include <utility>

#include "core/fabric/lanes.h"

namespace espalier::test {

// The first lane as the last: `layers` leaves most room on SL 0, so that this one leaves the least.
[[nodiscard]] inline Lanes other_way_round(const Lanes& lanes) {
  ServiceLevels levels = lanes.levels();
  for (std::uint32_t s = 0; s < levels.num_sources(); ++s)
    for (std::uint32_t d = 0; d < levels.num_destinations(); ++d)
      levels.set(s, d, static_cast<std::uint8_t>(lanes.num_vls() - 1 - levels.of_classes(s, d)));
  return {std::move(levels), lanes.maps()};
}

}  // namespace espalier::test
