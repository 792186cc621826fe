// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The memory of whoever routes one fabric again and again: at which ports hosts were seen. While a host reboots its
// place keeps the topological id, and the ids of all others (node_order.h). A host that shows up at another port leaves
// no ghost behind.
#pragma once

#include <map>
#include <utility>
#include <vector>

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
  std::map<HostPlace, Guid> port_at_;
  std::map<Guid, HostPlace> place_of_;
  std::vector<HostPlace> places_;                 // of port_at_
  std::vector<std::pair<HostPlace, Guid>> last_;  // hosts of the last tree, which most often are those of the next
};

}  // namespace espalier
