// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// By which names hosts were numbered: so that nobody's number changes because another host was renamed, exchanged, or
// announces its vendor's default name again.
//
// A name belongs to a place, a port of a leaf, since that is what a new host takes over from the old one. A place keeps
// the name that it was first seen with. Once more than a tenth of the hosts say something else, as after a start of the
// whole cluster when drivers come up, or when nodes get new names, all names are learned anew.
#pragma once

#include <string>

#include "core/base/large_array.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/host_place.h"

namespace espalier {

class NumberedNames {
 public:
  // Learns the names at new places, or all. In the latter case returns how many differed from what was known; 0 else.
  [[nodiscard]] std::size_t learn(const FatTree& tree);

  // What each end port of its fabric is numbered by: text of the fabric and of this object. One whose place is not known
  // has its own description.
  [[nodiscard]] EndportNames names(const FatTree& tree) const;

 private:
  struct Named {
    HostPlace place;
    std::string name;
  };
  LargeVector<Named> names_;  // ascending places
};

}  // namespace espalier
