// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What hosts send and receive at present, by the counters of the switch ports that they are cabled to (PortCountersExtended
// of the performance management agents). Packets to them follow the forwarding tables, so these have to work.
#pragma once

#include <vector>

#include "core/fabric/fabric.h"
#include "core/live/live_subnet.h"

namespace espalier::live {

struct HostRate {
  EndportId host = kNoEndport;
  double sent = 0;      // bytes per second
  double received = 0;  // ditto
};

struct HostRates {
  std::vector<HostRate> rates;     // of hosts whose switch answered both times
  std::vector<EndportId> unknown;  // the others that hang on a switch
};

// Reads all counters, waits, and reads them again; a counter that went back was cleared, and counts from 0. Errors: those
// of the device. REQUIRES: seconds > 0.
[[nodiscard]] Result<HostRates> measure_hosts(const LocalPort& local_port, const Fabric& fabric, double seconds);

}  // namespace espalier::live
