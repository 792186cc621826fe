// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// End ports by port GUID, for whoever looks up many: Fabric::find_endport() walks all of them at each call.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

class EndportIndex {
 public:
  // O(n log n) for n end ports. Keeps no reference to `fabric`.
  explicit EndportIndex(const Fabric& fabric);
  // Only of these, in any order.
  EndportIndex(const Fabric& fabric, std::span<const EndportId> endports);
  // Only of those that are cabled to a switch.
  [[nodiscard]] static EndportIndex of_cabled(const Fabric& fabric);

  // kNoEndport when there is none; of several the first id, as find_endport(). O(log n).
  [[nodiscard]] EndportId find(Guid port_guid) const;

 private:
  std::vector<std::pair<Guid, EndportId>> by_guid_;  // ascending
};

}  // namespace espalier
