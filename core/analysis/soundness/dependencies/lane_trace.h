// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Follows all packets for one LID at once, with their SLs and lanes.
//
// The tables make a tree of the switches, toward the LID. A packet on the channel that leaves a switch has an SL and a
// VL; what it does further on depends on nothing else. So a set of (SL, VL) for each switch holds all packets that
// leave it, and the sets are passed on from the farthest switches to the root: each takes those of the switches behind
// it, looked up in its SL2VL tables, and adds what its own sources send.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/analysis/soundness/dependencies/lane_sources.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier {

// One step of some packets: from the lane `vl` of the channel `from` to the lane `next_vl` of the next switch's `port`.
struct LaneStep {
  ChannelId from;
  std::uint8_t vl;
  PortNum port;
  std::uint8_t next_vl;
  std::uint8_t sl;
};

class LaneTrace {
 public:
  // Sources are all switches and end ports, or with `endports` these alone. REQUIRES: `fabric` and `lanes` outlive it.
  LaneTrace(const Fabric& fabric, const Lanes& lanes, const std::vector<EndportId>* endports);

  // Scratch space of one thread.
  struct Scratch {
    std::vector<PortNum> ports;         // per switch: the entry, kNoPort where it leads to no switch
    std::vector<std::uint16_t> behind;  // per switch: switches that send to it
    std::vector<SwitchId> order;
    std::vector<std::array<std::uint64_t, 4>> packets;  // per switch: bit (SL, VL) of what leaves it
  };

  // The entries of `lid`, as trace() wants them.
  void read_column(const ForwardingTables& tables, Lid lid, std::vector<PortNum>& ports) const;

  // scratch.ports: the column of `lid`. on_step(LaneStep) for each step that some packet makes, maybe more than once;
  // on_discard(SwitchId, PortNum in, SL) where an SL2VL table throws packets away. Switches on a loop of the LID are
  // left out.
  template <class OnStep, class OnDiscard>
  void trace(Lid lid, Scratch& scratch, OnStep&& on_step, OnDiscard&& on_discard) const {
    sort_by_distance(scratch);
    const std::uint32_t destination = lanes_.levels().destination_class(lid);
    for (const SwitchId s : scratch.order) {
      const PortNum out = scratch.ports[index(s)];
      if (out == kNoPort) continue;
      inject(s, out, destination, scratch, on_discard);
      const ChannelId channel = fabric_.channel(s, out);
      const SwitchId next = leads_to_[index(channel)];
      const PortNum port = scratch.ports[index(next)];
      if (port == kNoPort) continue;
      const VlsBySl& vls = lanes_.maps().vls(next, arrives_by_[index(channel)], port);
      auto& packets = scratch.packets[index(next)];
      for (std::size_t w = 0; w < num_words_; ++w)
        for (std::uint64_t bits = scratch.packets[index(s)][w]; bits != 0; bits &= bits - 1) {
          const std::size_t bit = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const std::uint8_t sl = sl_of_bit_[bit];
          const std::uint8_t vl = vls[sl];
          if (vl >= lanes_.num_vls()) {
            on_discard(next, arrives_by_[index(channel)], sl);
            continue;
          }
          on_step(LaneStep{channel, vl_of_bit_[bit], port, vl, sl});
          const std::size_t next_bit = std::size_t{first_bit_[sl]} + vl;
          packets[next_bit / 64] |= std::uint64_t{1} << (next_bit % 64);
        }
    }
  }

 private:
  // order: all switches but those on loops, each before the one it sends to. Empties the packets.
  void sort_by_distance(Scratch& scratch) const;

  template <class OnDiscard>
  void inject(SwitchId s, PortNum out, std::uint32_t destination, Scratch& scratch, OnDiscard&& on_discard) const {
    auto& packets = scratch.packets[index(s)];
    for (std::size_t i = first_source_[index(s)]; i < first_source_[index(s) + 1]; ++i) {
      const std::uint8_t sl = lanes_.levels().of_classes(sources_[i].source_class, destination);
      const std::uint8_t vl = lanes_.maps().vls(s, sources_[i].in, out)[sl];
      if (vl >= lanes_.num_vls()) {
        on_discard(s, sources_[i].in, sl);
        continue;
      }
      const std::size_t bit = std::size_t{first_bit_[sl]} + vl;
      packets[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  const Fabric& fabric_;
  const Lanes& lanes_;
  std::vector<SwitchId> leads_to_;         // per channel
  std::vector<PortNum> arrives_by_;        // per channel
  std::vector<std::size_t> first_source_;  // per switch, and one more
  std::vector<LaneSource> sources_;
  std::size_t num_words_ = 1;
  std::array<std::uint16_t, kNumSls> first_bit_{};  // per SL: the bit of its VL 0
  std::array<std::uint8_t, 256> sl_of_bit_{};
  std::array<std::uint8_t, 256> vl_of_bit_{};
};

}  // namespace espalier
