// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Traffic that is known before it flows: from traces, counters or a job's matrix.
#pragma once

#include "core/fabric/ids.h"

namespace espalier {

struct KnownFlow {
  EndportId source = kNoEndport;
  EndportId destination = kNoEndport;
  double weight = 1;  // above 0, in any one unit

  bool operator==(const KnownFlow&) const = default;
};

}  // namespace espalier
