// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

namespace espalier {

// Milliseconds that the steps of a routing run took, all of them under OpenSM's lock.
struct Laps {
  double snapshot = 0, rank = 0, route = 0, verify = 0, apply = 0;
};

}  // namespace espalier
