// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// End ports by port GUID, for whoever looks up many: Fabric::find_endport() walks all of them at each call.
#pragma once

#include <utility>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

class EndportIndex {
 public:
  // O(n log n) for n end ports. Keeps no reference to `fabric`.
  explicit EndportIndex(const Fabric& fabric);

  // kNoEndport when there is none; of several the first id, as find_endport(). O(log n).
  [[nodiscard]] EndportId find(Guid port_guid) const;

 private:
  std::vector<std::pair<Guid, EndportId>> by_guid_;  // ascending
};

}  // namespace espalier
