// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Brings what a walk along paths reads into the processor's caches, for many paths at once: a hop of each in turn, so that
// the memory of one is on its way while the others are looked at. Who walks path by path waits for memory at each hop, which
// is most of the time that it takes on a large tree: tables and loads are 20 MB of 8 640 hosts.
//
// Nothing depends on it but time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

class PathWarmer {
 public:
  static constexpr std::size_t kPaths = 64;  // so many stay in the caches meanwhile, about

  // REQUIRES: both outlive this.
  PathWarmer(const WorkingState& state, const ClassLoads& loads) : state_(state), loads_(loads) {}

  // The path of a flow from s on.
  void add(SwitchId s, std::size_t lid, ClassLoads::Flow flow) {
    const PortNum* const entry = state_.entry_at(s, lid);
    __builtin_prefetch(entry);
    packets_.push_back({entry, s, state_.prepared.destination(lid), static_cast<std::uint32_t>(lid), flow});
  }
  // The same behind this channel.
  void add_behind(ChannelId c, std::size_t lid, ClassLoads::Flow flow) {
    loads_.prefetch(c, flow);
    if (const SwitchId s = state_.far_left(c); s != state_.prepared.destination(lid)) add(s, lid, flow);
  }

  // Warms all these paths, and forgets them.
  void warm() {
    for (std::size_t hops = 0; hops < kHops && !packets_.empty(); ++hops)
      std::erase_if(packets_, [&](Packet& packet) { return !go_on(packet); });
    packets_.clear();
  }

 private:
  static constexpr std::size_t kHops = 6;  // longer paths are rare

  struct Packet {
    const PortNum* entry;
    SwitchId at, to;
    std::uint32_t lid;
    ClassLoads::Flow flow;
  };

  bool go_on(Packet& packet) const {
    const ChannelId c = state_.channel(packet.at, *packet.entry);
    if (c == kNoChannel) return false;
    loads_.prefetch(c, packet.flow);
    packet.at = state_.far_left(c);
    if (packet.at == packet.to) return false;
    packet.entry = state_.entry_at(packet.at, packet.lid);
    __builtin_prefetch(packet.entry);
    return true;
  }

  const WorkingState& state_;
  const ClassLoads& loads_;
  std::vector<Packet> packets_;
};

}  // namespace espalier
