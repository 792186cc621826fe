// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/simulator/counters.h"

#include <numeric>

namespace espalier::packets {

std::uint32_t LatencyHistogram::quantile(double share) const {
  const std::uint64_t total = std::reduce(counts_.begin(), counts_.end(), std::uint64_t{0});
  const double wanted = share * static_cast<double>(total);
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    so_far += counts_[i];
    if (so_far > 0 && static_cast<double>(so_far) >= wanted) return static_cast<std::uint32_t>(i);
  }
  return 0;
}

}  // namespace espalier::packets
