// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who has a packet to send when, and to whom.
#pragma once

#include <cstdint>
#include <vector>

#include "core/packets/packet.h"
#include "core/packets/random.h"

namespace espalier::packets {

inline constexpr Cycle kNever = 0xFFFFFFFF;

class Traffic {
 public:
  virtual ~Traffic() = default;

  // When the node's next packet is born, not before `earliest`: the cycle after the birth of the one before. Packets
  // wait at the node for as long as it takes. kNever: it has no more, until delivered() says otherwise.
  [[nodiscard]] virtual Cycle next_birth(Node node, Cycle earliest, Random& random) = 0;

  // To whom the packet goes that is born now: sets destination, and what else the tables need (lid, lane).
  virtual void address(Node node, Packet& packet, Random& random) = 0;

  // The last phit of a packet arrives at `at`, or it is lost then. Adds nodes that had no more and may have some now.
  // Only traffic that reacts() is told.
  virtual void delivered(const Packet& /*packet*/, Cycle /*at*/, std::vector<Node>& /*woken*/) {}

  // Whether deliveries make other nodes send, at once and wherever they are.
  [[nodiscard]] virtual bool reacts() const { return false; }

  // Packets in all; 0: no end.
  [[nodiscard]] virtual std::uint64_t total() const { return 0; }
};

// Destinations alone; a Load or a Burst (sources.h) makes traffic of it.
class Pattern {
 public:
  virtual ~Pattern() = default;
  // Whether the node sends at all.
  [[nodiscard]] virtual bool sends(Node /*node*/) const { return true; }
  [[nodiscard]] virtual Node destination(Node node, Random& random) const = 0;
};

}  // namespace espalier::packets
