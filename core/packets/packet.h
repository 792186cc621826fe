// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A packet under way, and what policies remember about it. Half a line of the cache: each hop reads one.
#pragma once

#include <cstdint>

#include "core/packets/network.h"

namespace espalier::packets {

struct alignas(32) Packet {
  Cycle birth = 0;
  Node source = kNone;
  Node destination = kNone;
  Router target = kNone;      // the router of the destination
  std::uint32_t via = kNone;  // the intermediate group or router that it still has to visit
  Port global = kNone;        // of a global link: in grids, by which it leaves this group; with contention counters,
                              // whose counter it is part of
  std::uint8_t counted = kNobody;  // with contention counters: position of the port whose counter it is part of
  std::uint8_t offset = 0;         // of the LID, where tables route and hosts choose
  std::uint8_t level = 0;          // service level, where tables route
  std::uint8_t hops = 0;           // between routers so far
  std::uint8_t global_hops = 0;    // of these, between groups
  std::uint8_t group_hops = 0;     // since it came into this group
  bool leaves_group : 1 = false;   // goes by a global link of this router next, by whichever
  bool passed_via : 1 = false;     // came to the router that it had to visit
  bool misrouted : 1 = false;      // ever left the minimal path

  static constexpr std::uint8_t kNobody = 0xFF;

  // It goes by a port of this kind; by that of its node it starts. No branches: which kind it is cannot be guessed.
  void count_hop(PortClass kind) {
    const auto hop = static_cast<std::uint8_t>(kind != PortClass::kNode);
    const auto leaves = static_cast<std::uint8_t>(kind == PortClass::kGlobal);
    hops = static_cast<std::uint8_t>(hops + hop);
    global_hops = static_cast<std::uint8_t>(global_hops + leaves);
    group_hops = static_cast<std::uint8_t>((group_hops + hop) & (leaves - 1));
  }
};
static_assert(sizeof(Packet) == 32);

using PacketId = std::uint32_t;

}  // namespace espalier::packets
