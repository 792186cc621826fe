// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// By which names hosts were numbered: so that nobody's number changes because another host was renamed, exchanged, or
// announces its vendor's default name again.
//
// A name belongs to a place, a port of a leaf, since that is what a new host takes over from the old one. A place keeps
// the name that it was first seen with. Once more than a tenth of the hosts say something else, as after a start of the
// whole cluster when drivers come up, or when nodes get new names, all names are learned anew.
#pragma once

#include <string>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/tree/order/host_order.h"

namespace espalier {

class NumberedNames {
 public:
  // Learns the names at new places, or all. In the latter case returns how many differed from what was known; 0 else.
  [[nodiscard]] std::size_t learn(const FatTree& tree);

  // What each end port is numbered by. One whose place is not known has its own description.
  [[nodiscard]] EndportNames names(const Fabric& fabric) const;

 private:
  struct Place {
    Guid leaf;
    PortNum port;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& p) const { return mix(index(p.leaf), index(p.port)); }
  };
  std::unordered_map<Place, std::string, Hash> names_;
};

}  // namespace espalier
