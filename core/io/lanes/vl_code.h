// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How PortInfo, and max_op_vls in opensm.conf, write numbers of data lanes (InfiniBand Architecture Specification, volume
// 1, PortInfo: VLCap and OperationalVLs).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace espalier {

inline constexpr unsigned kMostVls = 15;

// 1 = VL 0, 2 = VL 0-1, 3 = VL 0-3, 4 = VL 0-7, 5 = VL 0-14. Codes that the specification does not have count as the
// nearest one.
[[nodiscard]] constexpr unsigned lanes_of_code(unsigned code) {
  constexpr std::array<unsigned, 6> kLanes{1, 1, 2, 4, 8, kMostVls};
  return kLanes[std::min<std::size_t>(code, kLanes.size() - 1)];
}

// max_op_vls, where 0 is no limit.
[[nodiscard]] constexpr unsigned lanes_of_max_op_vls(unsigned code) {
  return code == 0 ? kMostVls : lanes_of_code(code);
}

}  // namespace espalier
