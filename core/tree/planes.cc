// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/planes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier {
namespace {

// The plane with most votes, the lowest of several; kNoSwitch unless it has more than half of all votes.
SwitchId majority(std::vector<SwitchId>& votes) {
  std::sort(votes.begin(), votes.end());
  std::pair<std::size_t, SwitchId> most{0, kNoSwitch};
  for (auto first = votes.begin(); first != votes.end();) {
    const auto last = std::upper_bound(first, votes.end(), *first);
    if (const auto count = static_cast<std::size_t>(last - first); count > most.first) most = {count, *first};
    first = last;
  }
  return most.first * 2 > votes.size() ? most.second : kNoSwitch;
}

}  // namespace

IdVector<SwitchId, SwitchId> planes(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<std::vector<SwitchId>> by_level(tree.num_levels());
  for (const SwitchId s : fabric.switches()) by_level[index(tree.level(s))].push_back(s);
  IdVector<SwitchId, SwitchId> plane(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) plane[s] = s;
  std::vector<SwitchId> votes;
  for (std::size_t level = tree.num_levels(); level-- > 0;) {
    IdVector<SwitchId, SwitchId> below(fabric.num_switches(), kNoSwitch);  // of a plane of parents
    for (const SwitchId s : by_level[level]) {
      votes.clear();
      for (const PortGroup& up : tree.up_groups(s))
        if (const SwitchId voted = below[plane[up.remote]]; voted != kNoSwitch) votes.push_back(voted);
      if (const SwitchId voted = majority(votes); voted != kNoSwitch) plane[s] = voted;
      for (const PortGroup& up : tree.up_groups(s))
        if (SwitchId& of_parent = below[plane[up.remote]]; of_parent == kNoSwitch) of_parent = plane[s];
    }
  }
  return plane;
}

bool follow_guids(const IdVector<SwitchId, SwitchId>& planes, const FatTree& tree) {
  std::size_t pairs = 0, in_order = 0;
  for (const SwitchId s : tree.fabric().switches()) {
    const auto ups = tree.up_groups(s);
    for (std::size_t g = 1; g < ups.size(); ++g) {
      ++pairs;
      if (planes[ups[g - 1].remote] <= planes[ups[g].remote]) ++in_order;
    }
  }
  return in_order * 4 >= pairs * 3;
}

}  // namespace espalier
