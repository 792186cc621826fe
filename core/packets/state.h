// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The queues of all routers as credits tell: what policies may look at.
//
// A unit is what moves at one time (Parameters::unit_phits). A queue (port, vc) here is the buffer behind the port, at
// the other end of the cable; what is on its way there, and what has left it but not yet been told, counts as in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/packets/network.h"
#include "core/packets/parameters.h"

namespace espalier::packets {

struct State {
  const Network* network = nullptr;
  const Parameters* parameters = nullptr;
  Cycle now = 0;
  std::uint32_t vcs = 1;                // virtual channels of the ports that have most
  std::vector<std::uint16_t> credits;   // units that a queue has room for, by port * vcs + vc
  std::vector<std::uint16_t> capacity;  // units of each queue of a port
  std::vector<std::uint16_t> used;      // units in all queues of a port
  std::vector<float> vc_scale;          // 1 / capacity of one queue, by port
  std::vector<float> port_scale;        // 1 / capacity of all queues, by port

  // Phits in all queues of a port.
  [[nodiscard]] double queued(Port port) const { return static_cast<double>(used[port]) * parameters->unit_phits(); }
  // Fill of a queue or, with Occupancy::kPort, of all queues of the port: 0 .. 1.
  [[nodiscard]] float fill(Port port, std::uint32_t vc) const {
    if (parameters->occupancy == Occupancy::kPort) return static_cast<float>(used[port]) * port_scale[port];
    return static_cast<float>(capacity[port] - credits[port * vcs + vc]) * vc_scale[port];
  }
  // No queue of the port has less.
  [[nodiscard]] float least_fill(Port port) const {
    if (parameters->occupancy == Occupancy::kPort) return static_cast<float>(used[port]) * port_scale[port];
    float least = 2;
    for (std::uint32_t vc = 0; vc < vcs; ++vc) least = std::min(least, fill(port, vc));
    return least;
  }
};

}  // namespace espalier::packets
