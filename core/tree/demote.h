// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Takes switches out of the paths of others without taking them out of the fabric: demoted, that is, ordered below all
// its neighbors, a switch is a leaf. Whoever reaches a neighbor reaches it by going down, it sends to everybody by going
// up, and no path passes through it, since none turns upward again.
#pragma once

#include <span>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

// The same tree with these switches demoted; with another context, if one is given. REQUIRES: no switch twice.
[[nodiscard]] FatTree demote(const FatTree& tree, std::span<const SwitchId> switches);
[[nodiscard]] FatTree demote(const FatTree& tree, std::span<const SwitchId> switches, TreeContext context);

// Adds both channels of each link of a group of s.
void add_both_channels(const FatTree& tree, SwitchId s, const PortGroup& group, std::vector<ChannelId>& channels);

// The same levels with these channels set aside, too. REQUIRES: both of each link.
[[nodiscard]] FatTree without_channels(const FatTree& tree, std::span<const ChannelId> channels);

// Whether all pairs of hosts that `before` joins by up-down paths are joined so by `after`, and no connected component
// of the fabric has fallen apart for want of links. REQUIRES: both are of one fabric.
[[nodiscard]] bool joins_as_many_hosts(const FatTree& after, const FatTree& before);

}  // namespace espalier
