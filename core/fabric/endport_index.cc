// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/endport_index.h"

#include <algorithm>

namespace espalier {

EndportIndex::EndportIndex(const Fabric& fabric) {
  by_guid_.reserve(fabric.num_endports());
  for (const EndportId e : fabric.endports()) by_guid_.emplace_back(fabric.at(e).port_guid, e);
  std::sort(by_guid_.begin(), by_guid_.end());
}

EndportId EndportIndex::find(Guid port_guid) const {
  const auto it = std::lower_bound(by_guid_.begin(), by_guid_.end(), port_guid,
                                   [](const auto& entry, Guid wanted) { return entry.first < wanted; });
  return it == by_guid_.end() || it->first != port_guid ? kNoEndport : it->second;
}

}  // namespace espalier
