// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/own_lane.h"

#include <bit>
#include <utility>

namespace espalier {

std::optional<OwnLane> with_own_lane(const Lanes& lanes, unsigned max_vls) {
  const unsigned vl = lanes.num_vls();
  const auto free_sl = static_cast<std::uint8_t>(std::countr_one(lanes.levels().used() | 1U));
  if (vl >= max_vls || free_sl >= kNumSls) return std::nullopt;

  ServiceLevels levels = lanes.levels();
  for (std::uint32_t s = 0; s < levels.num_sources(); ++s)
    for (std::uint32_t d = 0; d < levels.num_destinations(); ++d)
      if (levels.of_classes(s, d) == 0) levels.set(s, d, free_sl);
  LaneMaps maps = lanes.maps();
  for (std::size_t map = 0; map < maps.num_maps(); ++map)
    for (std::size_t in = 0; in < maps.num_classes(map); ++in)
      for (std::size_t out = 0; out < maps.num_classes(map); ++out) {
        VlsBySl& vls = maps.entry(map, in, out);
        vls[free_sl] = std::exchange(vls[0], static_cast<std::uint8_t>(vl));
      }
  return OwnLane{Lanes(std::move(levels), std::move(maps)), static_cast<std::uint8_t>(vl), free_sl};
}

}  // namespace espalier
