// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The order in which OpenSM's dumps name switches and nodes.
#pragma once

#include <algorithm>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier::io {

// OpenSM keeps nodes and switches in maps whose key is the GUID in network byte order, read as a number of the host.
// OpenSM runs on little-endian machines; so do we not have to ask which this one is.
[[nodiscard]] inline std::uint64_t opensm_key(Guid guid) {
  std::uint64_t swapped = 0;
  for (int i = 0; i < 8; ++i) swapped = (swapped << 8) | ((index(guid) >> (8 * i)) & 0xFF);
  return swapped;
}

[[nodiscard]] inline std::vector<SwitchId> opensm_order(const Fabric& fabric) {
  std::vector<SwitchId> order;
  for (const SwitchId s : fabric.switches()) order.push_back(s);
  std::sort(order.begin(), order.end(),
            [&](SwitchId a, SwitchId b) { return opensm_key(fabric.at(a).guid) < opensm_key(fabric.at(b).guid); });
  return order;
}

}  // namespace espalier::io
