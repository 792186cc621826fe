// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The memory of whoever routes one fabric again and again: at which ports hosts were seen. While a host reboots its
// place keeps the topological id, and the ids of all others (node_order.h). A host that shows up at another port leaves
// no ghost behind.
#pragma once

#include <vector>

#include "core/base/large_array.h"
#include "core/tree/fat_tree.h"

namespace espalier {

class HostPlaces {
 public:
  // Adds the hosts of this tree. Forgets everything else first when more than kMost places were remembered.
  void learn(const FatTree& tree);
  // Ascending; for RankOptions::ghosts.
  [[nodiscard]] const std::vector<HostPlace>& places() const { return places_; }

  static constexpr std::size_t kMost = 400'000;  // eight times the LIDs of a subnet

 private:
  struct Host {
    HostPlace place;
    Guid port;
    bool operator==(const Host&) const = default;
  };
  LargeVector<Host> seen_;         // ascending places
  LargeVector<Host> last_;         // those of the last tree, which most often are those of the next
  std::vector<HostPlace> places_;  // of seen_
};

}  // namespace espalier
