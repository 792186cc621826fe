// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is simulated: bytes from one LID to another, over the wires that the tables choose.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Transfer {
  Lid from = kNoLid;  // a LID of the sender: a host with a link, or a switch
  Lid to = kNoLid;    // the destination LID of the packets
  double bytes = 0;   // above 0
};

struct SimulationOptions {
  // Of links that do not say their rate, and of the port 0 of switches.
  std::uint32_t default_mbps = 100'000;
  Progress* progress = nullptr;  // counts transfers that have arrived
};

// What a transfer shares with others: a channel (by its ChannelId), or the link on which a node sends into the fabric
// (the number of channels + the node's base LID).
using Wire = std::uint32_t;

[[nodiscard]] std::size_t num_wires(const Fabric& fabric);

// Bytes per second. Signalling rates: all links lose the same to encoding. REQUIRES: wire < num_wires(), and is one
// of a path below.
[[nodiscard]] double wire_rate(const Fabric& fabric, Wire wire, const SimulationOptions& options = {});

// The wires from the sender to the receiver, the links of both included. Empty when the tables do not deliver, when a
// LID is nobody's, or when the sender has no link.
[[nodiscard]] std::vector<Wire> wires_of(const Fabric& fabric, const ForwardingTables& tables,
                                         const Transfer& transfer);

// The node that owns the LID, by its base LID. REQUIRES: lid <= fabric.top_lid().
[[nodiscard]] inline Lid base_of(const Fabric& fabric, Lid lid) {
  return id_at<Lid>(index(lid) - fabric.owner(lid).offset);
}

// Bytes per second that a node can put on its link at most. REQUIRES: lid <= fabric.top_lid(), somebody's.
[[nodiscard]] double injection_rate(const Fabric& fabric, Lid lid, const SimulationOptions& options = {});

}  // namespace espalier
