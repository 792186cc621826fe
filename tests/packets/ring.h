// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Four switches in a ring, a node at each.
#pragma once

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/packets/policies/policies.h"

namespace espalier::packets::test {

// Port 1 leads to the node, port 2 clockwise, port 3 back.
[[nodiscard]] Fabric ring_of_four();

enum class Direction : std::uint8_t { kClockwise, kBack };

struct Ring {
  Ring();
  Ring(const Ring&) = delete;

  // All packets go this way round.
  [[nodiscard]] ForwardingTables tables(Direction direction) const;

  Fabric fabric;
  Network network;
  Parameters parameters;
  ForwardingTables clockwise;
  ForwardingTables back;
  PolicyInputs inputs;  // with the clockwise tables
};

}  // namespace espalier::packets::test
