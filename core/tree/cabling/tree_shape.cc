// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/tree_shape.h"

#include <algorithm>

#include "core/tree/demote.h"

namespace espalier {

LinkLevels link_levels(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  LinkLevels links;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() <= s) continue;
      const std::size_t one = index(tree.level(s)), other = index(tree.level(peer.as_switch()));
      ++links.all;
      links.within += one == other ? 1 : 0;
      links.skipping += std::max(one, other) > std::min(one, other) + 1 ? 1 : 0;
    }
  return links;
}

bool is_tree_shaped(const FatTree& tree) {
  const LinkLevels links = link_levels(tree);
  return 4 * (links.within + links.skipping) <= links.all;
}

std::vector<ChannelId> links_between_tops(const FatTree& tree) {
  std::vector<ChannelId> channels;
  for (const SwitchId s : tree.fabric().switches()) {
    if (tree.down_groups(s).empty() || !tree.hosts(s).empty()) continue;
    for (const PortGroup& up : tree.up_groups(s))
      if (tree.level(up.remote) == tree.level(s)) add_both_channels(tree, s, up, channels);
  }
  return channels;
}

}  // namespace espalier
