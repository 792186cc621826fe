// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The channel dependency graph of a set of tables, with all traffic.
//
// What for. A packet that holds the buffer behind channel a and waits for a credit of channel b makes a depend on b. If
// dependencies close a cycle, full buffers can wait for each other for ever: a credit loop. A deterministic routing
// is free of that if and, for InfiniBand on one virtual lane, only if this graph has no cycle (Dally & Seitz 1987;
// Duato 1995 for why "only if" needs "deterministic").
//
// Definition. Vertices: the switch-to-switch channels (ChannelId of Fabric). An edge (s, p) -> (s', p') for each LID
// whose entry at s is p, which leads to s', and whose entry at s' is p', which leads to a further switch. All traffic:
// every switch is a source and every owned LID a destination, because the subnet manager and its agents talk to all of
// them from anywhere; a graph of host-to-host traffic alone would miss the loops that switch LIDs cause.
//
// Example. Three switches in a ring, each sends to the next one clockwise only:
//     A --1--> B --1--> C --1--> A        LID of C at A: port 1, at B: port 1   =>   (A,1) -> (B,1)
// The LIDs of A and B add (B,1) -> (C,1) and (C,1) -> (A,1): a cycle, though every packet arrives.
//
// Representation. The successors of (s, p) are all out-ports of one switch s', so a bitset of num_ports(s') + 1 bits
// per channel holds them: 58 000 channels of 36-port switches take half a megabyte. They are read off the number of LIDs
// of each pair of channels (entry_pairs.h), which takes one pass over the tables.
//
// With lanes (fabric/lanes.h) a vertex is a channel with one of its VLs, and a dependency is there only where some
// source really sends with an SL that leads a packet from the one to the other: lane_dependencies.cc.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/soundness/dependencies/entry_pairs.h"
#include "core/fabric/alternative_ports.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier {

// A channel and one of its virtual lanes: channel * number of VLs + VL. With one lane it is the channel.
enum class VirtualChannelId : std::uint32_t {};

// What tracing packets on their lanes comes upon.
struct LaneFaults {
  std::uint64_t num_discarded = 0;  // (switch, in-port, LID, SL) whose packets an SL2VL table sends to no lane
  SwitchId at = kNoSwitch;          // the first of these by switch, LID, in-port
  Lid lid = kNoLid;
  PortNum in = kNoPort;
  std::uint8_t sl = 0;
  std::uint64_t num_looping = 0;  // LIDs with a forwarding loop; what is on one is not in the graph
};

class ChannelDependencies {
 public:
  // None yet.
  ChannelDependencies(const Fabric& fabric, unsigned num_vls) { lay_out(fabric, num_vls); }
  // Entries that lead nowhere (no link, no such port, kNoPort) and LIDs that nobody owns make no dependency.
  // REQUIRES: tables.num_switches() == fabric.num_switches().
  ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables);
  // The same, with visit() for the entries that lead to no switch.
  ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables, const VisitEntry& visit);
  ChannelDependencies(const Fabric& fabric, const EntryPairs& pairs);
  // On virtual channels. Sources are all switches and end ports, or with `endports` these alone.
  // A packet that its SL2VL table throws away makes no dependency from there on.
  ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                      const std::vector<EndportId>* endports = nullptr);
  // Where switches choose among several ports: whatever they choose (alternative_trace.h).
  // REQUIRES: alternatives.num_switches() == fabric.num_switches().
  ChannelDependencies(const Fabric& fabric, const AlternativePorts& alternatives, const Lanes& lanes);

  // Adds the dependency of a lane of `from` on a lane of `port` of the switch that it leads to. REQUIRES: both exist.
  void add(ChannelId from, std::uint8_t vl, PortNum port, std::uint8_t next_vl) {
    const std::size_t bit = index(port) * num_vls_ + next_vl;
    const std::size_t first = first_word_[index(from)];
    const std::size_t num_words = first_word_[index(from) + 1] - first;
    words_[first * num_vls_ + vl * num_words + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  // The same for several threads at once. False: it was there.
  bool add_beside_others(ChannelId from, std::uint8_t vl, PortNum port, std::uint8_t next_vl) {
    const std::size_t bit = index(port) * num_vls_ + next_vl;
    const std::size_t first = first_word_[index(from)];
    const std::size_t num_words = first_word_[index(from) + 1] - first;
    std::atomic_ref<std::uint64_t> word(words_[first * num_vls_ + vl * num_words + bit / 64]);
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    // Nearly all are there already.
    return (word.load(std::memory_order_relaxed) & mask) == 0 &&
           (word.fetch_or(mask, std::memory_order_relaxed) & mask) == 0;
  }

  // Numbered as in the Fabric; the channels that lead to no switch have no dependency at either end.
  [[nodiscard]] std::size_t num_virtual_channels() const { return next_base_.size() * num_vls_; }
  [[nodiscard]] unsigned num_vls() const { return num_vls_; }
  [[nodiscard]] VirtualChannelId virtual_channel(ChannelId c, std::uint8_t vl) const {
    return id_at<VirtualChannelId>(index(c) * num_vls_ + vl);
  }
  [[nodiscard]] ChannelId channel(VirtualChannelId v) const { return id_at<ChannelId>(index(v) / num_vls_); }
  [[nodiscard]] std::uint8_t vl(VirtualChannelId v) const { return static_cast<std::uint8_t>(index(v) % num_vls_); }
  [[nodiscard]] std::uint64_t num_dependencies() const;
  // With lanes.
  [[nodiscard]] const LaneFaults& faults() const { return faults_; }

  // Does a packet that came over `from` ever leave the switch it reached by `port`?
  // REQUIRES: one lane; `from` leads to a switch that has `port`.
  [[nodiscard]] bool depends(ChannelId from, PortNum port) const {
    return (words_[first_word_[index(from)] + index(port) / 64] >> (index(port) % 64) & 1U) != 0;
  }

  // REQUIRES: as depends().
  enum class Next : std::uint8_t { kNever, kSometimes };
  void set(ChannelId from, PortNum port, Next next) {
    std::uint64_t& word = words_[first_word_[index(from)] + index(port) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index(port) % 64);
    word = next == Next::kSometimes ? word | bit : word & ~bit;
  }

  // What a channel depends on: bit b of words[w] for first + 64 * w + b.
  struct Successors {
    std::span<const std::uint64_t> words;
    std::size_t first = 0;  // VirtualChannelId
  };
  [[nodiscard]] Successors successors(VirtualChannelId from) const {
    const std::size_t channel = index(from) / num_vls_;
    const std::size_t num_words = first_word_[channel + 1] - first_word_[channel];
    return {{words_.data() + first_word_[channel] * num_vls_ + index(from) % num_vls_ * num_words, num_words},
            std::size_t{next_base_[channel]} * num_vls_};
  }

  // visit(VirtualChannelId) for each that `from` depends on, in ascending order.
  template <class Visit>
  void for_each_next(VirtualChannelId from, Visit&& visit) const {
    auto [words, first] = successors(from);
    for (const std::uint64_t word : words) {
      for (std::uint64_t bits = word; bits != 0; bits &= bits - 1)
        visit(id_at<VirtualChannelId>(first + static_cast<std::size_t>(std::countr_zero(bits))));
      first += 64;
    }
  }

 private:
  using PortBits = std::array<std::uint64_t, 4>;
  // What channel c depends on: of the ports that `to_switches` has of the switch behind it, those with a count (of at
  // least 64, and as many as its ports; what is beyond them is not looked at) that is not 0.
  void set_successors(ChannelId c, const std::uint16_t* counts, const PortBits& to_switches);
  // Room for the bitsets: bit `port x VLs + VL` of the switch that a channel leads to.
  void lay_out(const Fabric& fabric, unsigned num_vls);

  unsigned num_vls_ = 1;
  LaneFaults faults_;
  LargeVector<std::uint32_t> first_word_;  // per channel, and one more: the bitset of its VL 0, times num_vls_
  LargeVector<std::uint32_t> next_base_;   // per channel: channel of port 0 of the switch it leads to
  LargeVector<std::uint64_t> words_;
};

}  // namespace espalier
