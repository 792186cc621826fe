// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A packet under way, and what policies remember about it.
#pragma once

#include <cstdint>

#include "core/packets/network.h"

namespace espalier::packets {

struct Packet {
  Cycle birth = 0;
  Node source = kNone;
  Node destination = kNone;
  Router target = kNone;      // the router of the destination
  std::uint32_t via = kNone;  // the intermediate group or router that it still has to visit
  Port counted = kNone;       // with contention counters: whose counters it is part of
  Port counted_global = kNone;
  std::uint16_t lid = 0;         // destination LID, where tables route
  std::uint8_t level = 0;        // service level, where tables route
  std::uint8_t hops = 0;         // between routers so far
  std::uint8_t global_hops = 0;  // of these, between groups
  std::uint8_t group_hops = 0;   // since it came into this group
  bool globally_misrouted = false;
  bool leaves_group = false;  // goes by a global link of this router next, by whichever
  bool misrouted = false;     // ever left the minimal path
};

using PacketId = std::uint32_t;

}  // namespace espalier::packets
