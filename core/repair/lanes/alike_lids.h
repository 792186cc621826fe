// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// LIDs that all switches send to alike, and on the same service levels, as they mostly do to the hosts of a switch on large
// fabrics: what is found for one of them is right for all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/flat_lists.h"
#include "core/fabric/fabric.h"
#include "core/repair/reference/reference.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

// Per LID the first that is like it, maybe itself; itself if the tables are small.
[[nodiscard]] std::vector<Lid> first_alike(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes);

// Those of a reference that are still at their switch. Any other LID is alone.
class AlikeLids {
 public:
  // `first_before`: first_alike() of the reference, whose fabric is `before`.
  AlikeLids(const std::vector<Lid>& first_before, const Fabric& before, const Survivors& alive, const Fabric& now);

  // This one and those that are like it, ascending.
  [[nodiscard]] std::span<const Lid> of(Lid lid) const { return groups_.at(group_of_[index(lid)]); }
  [[nodiscard]] bool is_first(Lid lid) const { return of(lid).front() == lid; }

 private:
  std::vector<std::uint32_t> group_of_;  // per LID
  FlatLists<Lid> groups_;
};

}  // namespace espalier
