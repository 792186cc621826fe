// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/lid_ranges.h"

#include <algorithm>

namespace espalier {

std::vector<LidRange> owned_lids(const Fabric& fabric, std::size_t limit) {
  std::vector<LidRange> ranges;
  const std::size_t end = std::min(limit, index(fabric.top_lid()) + 1);
  for (std::size_t lid = 0; lid < end; ++lid) {
    if (!fabric.is_in_use(id_at<Lid>(lid))) continue;
    if (ranges.empty() || ranges.back().end != lid) ranges.push_back({lid, lid});
    ranges.back().end = lid + 1;
  }
  return ranges;
}

}  // namespace espalier
