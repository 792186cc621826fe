// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/tree_channels.h"

namespace espalier {

TreeChannels::TreeChannels(const FatTree& tree) {
  for (const SwitchId s : tree.fabric().switches()) {
    first_.push_back(static_cast<std::uint32_t>(remote_.size()));
    const auto add = [&](std::span<const PortGroup> groups) {
      for (const PortGroup& g : groups)
        for (const PortNum port : tree.ports(g)) {
          remote_.push_back(g.remote);
          port_.push_back(port);
        }
    };
    add(tree.up_groups(s));
    num_up_.push_back(static_cast<std::uint32_t>(remote_.size()) - first_.back());
    add(tree.down_groups(s));
  }
  first_.push_back(static_cast<std::uint32_t>(remote_.size()));
}

std::uint8_t TreeChannels::number(SwitchId s, PortNum port) const {
  for (std::uint32_t c = first_[index(s)]; c < first_[index(s) + 1]; ++c)
    if (port_[id_at<TreeChannelId>(c)] == port) return number(s, id_at<TreeChannelId>(c));
  return kNoHop;
}

}  // namespace espalier
