// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/taken_out.h"

#include <array>
#include <cstdint>
#include <vector>

namespace espalier {
namespace {

class ReferenceWalk {
 public:
  ReferenceWalk(const WorkingState& state, ClassLoads& loads)
      : state_(state), prepared_(state.prepared), loads_(loads) {}

  void add(std::uint32_t leaf, std::size_t lid) {
    const SwitchId s = prepared_.leaves()[leaf];
    state_.prefetch_reference_entry(s, lid);
    packets_.push_back(
        {s, prepared_.destination(lid), static_cast<std::uint32_t>(lid), leaf, prepared_.flow(leaf, lid)});
  }
  [[nodiscard]] bool is_full() const { return packets_.size() >= kTogether; }

  // Takes all these flows out, and forgets them.
  void run() {
    for (std::size_t hops = 0; hops < kHops; ++hops)
      for (Packet& packet : packets_)
        if (packet.is_on_its_way) go_on(packet);
    for (const Packet& packet : packets_) {
      if (packet.is_on_its_way) {
        take_out_long(packet);
        continue;
      }
      for (std::size_t i = 0; i < packet.hops; ++i) loads_.remove(packet.path[i], packet.flow);
    }
    packets_.clear();
  }

 private:
  static constexpr std::size_t kTogether = 64;  // so many stay in the caches meanwhile, about
  static constexpr std::size_t kHops = 6;       // longer paths are rare

  struct Packet {
    SwitchId at, to;
    std::uint32_t lid, leaf;
    ClassLoads::Flow flow;
    bool is_on_its_way = true;
    std::uint8_t hops = 0;                // over links that are left; 0 also if it does not arrive
    std::array<ChannelId, kHops> path{};  // these
  };

  void go_on(Packet& packet) const {
    const ChannelId c = state_.old_channel(packet.at, packet.lid);
    packet.at = c != kNoChannel ? prepared_.far(c) : kNoSwitch;
    packet.is_on_its_way = packet.at != packet.to && packet.at != kNoSwitch;
    if (packet.at == kNoSwitch) {
      packet.hops = 0;
      return;
    }
    if (state_.is_left(c)) {
      loads_.prefetch(c, packet.flow);
      packet.path[packet.hops++] = c;
    }
    if (packet.is_on_its_way) state_.prefetch_reference_entry(packet.at, packet.lid);
  }

  void take_out_long(const Packet& packet) {
    if (!prepared_.path(prepared_.leaves()[packet.leaf], packet.lid, path_)) return;
    for (const ChannelId c : path_)
      if (state_.is_left(c)) loads_.remove(c, packet.flow);
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  ClassLoads& loads_;
  std::vector<Packet> packets_;
  std::vector<ChannelId> path_;
};

}  // namespace

void take_out(const WorkingState& state, const OpenEntries& open, const BrokenFlows& broken_flows, ClassLoads& loads) {
  ReferenceWalk walk(state, loads);
  for (std::size_t column = 0; column < open.columns.size(); ++column)
    for (const std::uint32_t leaf : broken_flows.to(column)) {
      walk.add(leaf, open.columns[column]);
      if (walk.is_full()) walk.run();
    }
  walk.run();
}

}  // namespace espalier
