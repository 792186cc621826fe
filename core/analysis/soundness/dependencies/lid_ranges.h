// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The LIDs that somebody owns, as a few ranges: hot loops then need no test per LID.
#pragma once

#include <cstddef>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// LIDs first .. end-1.
struct LidRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool operator==(const LidRange&) const = default;
};

// The owned LIDs below `limit` in ascending order, neighbors merged.
[[nodiscard]] std::vector<LidRange> owned_lids(const Fabric& fabric, std::size_t limit = SIZE_MAX);

}  // namespace espalier
