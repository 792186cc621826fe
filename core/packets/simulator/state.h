// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The queues of all routers as credits tell: what policies may look at.
//
// A unit is what moves at one time (Parameters::unit_phits), and takes one credit or one for each phit
// (Parameters::credits). A queue (port, vc) here is the buffer behind the port, at the other end of the link; what is on
// its way there, and what has left it but not yet been told, counts as in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/large_array.h"
#include "core/packets/network.h"
#include "core/packets/parameters.h"

namespace espalier::packets {

struct State {
  // What a policy that has chosen a port says of it. Two bytes, so that those of a group are a few lines of the cache.
  struct Output {
    std::uint8_t position = 0;  // among the router's ports
    PortClass kind = PortClass::kLocal;
  };
  const Network* network = nullptr;
  const Parameters* parameters = nullptr;
  Cycle now = 0;
  std::uint32_t vcs = 1;                // virtual channels of the ports that have most
  std::uint32_t vc_bits = 0;            // of a queue's number, see queue()
  std::uint32_t unit = 1;               // credits of a unit
  bool measures_phits = false;          // QueueMeasure::kPhits
  double credit_phits = 1;              // Parameters::credit_phits()
  LargeVector<std::uint16_t> credits;   // that a queue has left, by queue()
  LargeVector<std::uint16_t> capacity;  // of each queue of a port, in credits
  LargeVector<std::uint32_t> used;      // of all queues of a port, in credits
  LargeVector<std::uint16_t> waiting;   // heads of the router's queues that wait for a port
  LargeVector<float> vc_scale;          // 1 / capacity of one queue, by port
  LargeVector<float> port_scale;        // 1 / capacity of all queues, by port
  LargeVector<Output> outputs;          // by port

  // The number of a queue. Between ports there are gaps, so that nothing has to be divided to get the port.
  [[nodiscard]] std::uint32_t queue(Port port, std::uint32_t vc) const { return port << vc_bits | vc; }

  // What is in all queues of a port, in phits or in percent (Parameters::measure).
  [[nodiscard]] double queued(Port port) const { return in_measure(used[port], port_scale[port]); }
  // The same with those in front of the port: what a packet that comes now has before it, as nobody in a network knows.
  [[nodiscard]] double ahead(Port port) const {
    return in_measure(static_cast<double>(used[port]) + waiting[port] * unit, port_scale[port]);
  }
  // The same of one queue, or with Occupancy::kPort of all. All heads in front of a port wait for one link.
  [[nodiscard]] double queued(Port port, std::uint32_t vc) const {
    if (parameters->occupancy == Occupancy::kPort) return queued(port);
    return in_measure(capacity[port] - credits[queue(port, vc)], vc_scale[port]);
  }
  [[nodiscard]] double ahead(Port port, std::uint32_t vc) const {
    if (parameters->occupancy == Occupancy::kPort) return ahead(port);
    return in_measure(static_cast<double>(capacity[port] - credits[queue(port, vc)]) + waiting[port] * unit,
                      vc_scale[port]);
  }
  // Fill of a queue or, with Occupancy::kPort, of all queues of the port: 0 .. 1.
  [[nodiscard]] float fill(Port port, std::uint32_t vc) const {
    if (parameters->occupancy == Occupancy::kPort) return static_cast<float>(used[port]) * port_scale[port];
    return static_cast<float>(capacity[port] - credits[queue(port, vc)]) * vc_scale[port];
  }

 private:
  [[nodiscard]] double in_measure(double taken, double scale) const {
    return taken * (measures_phits ? credit_phits : 100 * scale);
  }
};

}  // namespace espalier::packets
