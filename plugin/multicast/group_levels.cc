// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/group_levels.h"

#include <bit>
#include <utility>

namespace espalier {
namespace {

template <class Maps, class Change>
void for_each_entry(Maps& maps, Change change) {
  for (std::size_t map = 0; map < maps.num_maps(); ++map)
    for (std::size_t in = 0; in < maps.num_classes(map); ++in)
      for (std::size_t out = 0; out < maps.num_classes(map); ++out) change(maps.entry(map, in, out));
}

bool has_lanes_of_0(const LaneMaps& maps, std::uint8_t sl) {
  bool same = true;
  for_each_entry(maps, [&](const VlsBySl& vls) { same = same && vls[sl] == vls[0]; });
  return same;
}

void move_traffic(ServiceLevels& levels, std::uint8_t from, std::uint8_t to) {
  for (std::uint32_t s = 0; s < levels.num_sources(); ++s)
    for (std::uint32_t d = 0; d < levels.num_destinations(); ++d)
      if (levels.of_classes(s, d) == from) levels.set(s, d, to);
}

}  // namespace

LevelsOfGroups leave_to_groups(const Lanes& lanes, std::uint32_t groups) {
  if ((groups & ~1U) == 0) return {};
  ServiceLevels levels = lanes.levels();
  LaneMaps maps = lanes.maps();
  std::uint32_t left = 0;
  std::uint32_t not_left = 0;
  for (std::uint8_t sl = 1; sl < kNumSls; ++sl) {
    if ((groups >> sl & 1U) == 0 || has_lanes_of_0(maps, sl)) continue;
    const std::uint32_t used = levels.used();
    if ((used >> sl & 1U) != 0) {
      const auto free_sl = static_cast<std::uint8_t>(std::countr_one(used | groups | 1U));
      if (free_sl >= kNumSls) {
        not_left |= 1U << sl;
        continue;
      }
      move_traffic(levels, sl, free_sl);
      for_each_entry(maps, [&](VlsBySl& vls) { vls[free_sl] = vls[sl]; });
      left |= 1U << sl;
    }
    for_each_entry(maps, [&](VlsBySl& vls) { vls[sl] = vls[0]; });
  }
  return {Lanes(std::move(levels), std::move(maps)), left, not_left};
}

}  // namespace espalier
