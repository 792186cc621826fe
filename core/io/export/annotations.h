// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a writer may add to a fabric when somebody has computed it; this room does not know how.
#pragma once

#include <cstdint>
#include <span>

#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Annotations {
  const ForwardingTables* tables = nullptr;  // with a row for each switch of the fabric
  std::span<const std::uint8_t> levels;      // per SwitchId: height above the leaves; empty: not known
};

}  // namespace espalier
