// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The proof of verify.h for alternative ports: whichever of its ports a switch chooses for each packet, the packet
// arrives, and no credit loop can form. The entry of the table is one of the choices, too: switches fall back on it.
#pragma once

#include "core/analysis/soundness/verify.h"
#include "core/fabric/alternative_ports.h"

namespace espalier {

// Every owned LID has a port at every switch of its connected component, each port leads to a switch or to the owner, and the
// dependencies of all choices have no cycle on (channel, lane). Packets loop where the ports for one LID do.
// REQUIRES: all are of this fabric.
[[nodiscard]] VerifyReport verify_alternatives(const Fabric& fabric, const ForwardingTables& tables,
                                               const AlternativePorts& alternatives, const Lanes& lanes);

// How many ports there are to choose from.
struct AlternativeCounts {
  std::uint64_t entries = 0;      // (switch, LID of a host elsewhere) with a port
  std::uint64_t with_choice = 0;  // of these, with more than one
  double mean = 0;                // ports per entry
};
[[nodiscard]] AlternativeCounts count_alternatives(const Fabric& fabric, const AlternativePorts& alternatives);

}  // namespace espalier
