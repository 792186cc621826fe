// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/endport_index.h"

#include <algorithm>

namespace espalier {

EndportIndex::EndportIndex(const Fabric& fabric) {
  by_guid_.reserve(fabric.num_endports());
  for (const EndportId e : fabric.endports()) by_guid_.emplace_back(fabric.at(e).port_guid, e);
  std::sort(by_guid_.begin(), by_guid_.end());
}

EndportIndex::EndportIndex(const Fabric& fabric, std::span<const EndportId> endports) {
  by_guid_.reserve(endports.size());
  for (const EndportId e : endports) by_guid_.emplace_back(fabric.at(e).port_guid, e);
  std::sort(by_guid_.begin(), by_guid_.end());
}

EndportIndex EndportIndex::of_cabled(const Fabric& fabric) {
  std::vector<EndportId> cabled;
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch) cabled.push_back(e);
  return EndportIndex(fabric, cabled);
}

EndportId EndportIndex::find(Guid port_guid) const {
  const auto it = std::lower_bound(by_guid_.begin(), by_guid_.end(), port_guid,
                                   [](const auto& entry, Guid wanted) { return entry.first < wanted; });
  return it == by_guid_.end() || it->first != port_guid ? kNoEndport : it->second;
}

}  // namespace espalier
