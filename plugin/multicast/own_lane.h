// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A lane on which multicast is alone. Groups have service level 0 unless they ask for another one, so unicast gives SL 0 up:
// what it sent there it sends on an SL that nobody uses, on the same lanes as before, and SL 0 leads to one lane more
// throughout. One tree for all groups closes no loop on that lane, and nothing else is on it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/fabric/lanes.h"

namespace espalier {

struct OwnLane {
  Lanes lanes;
  std::uint8_t vl = 0;          // of multicast
  std::uint8_t unicast_sl = 0;  // of what unicast sent on SL 0 before
};

// Nothing: links have only `max_vls` lanes, or every SL is in use.
[[nodiscard]] std::optional<OwnLane> with_own_lane(const Lanes& lanes, unsigned max_vls);

}  // namespace espalier
