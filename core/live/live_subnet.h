// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The subnet that this machine is cabled to, as it is now: its nodes, links and LIDs from a discovery by directed
// routes, its tables from the switches themselves.
//
// Both ask each node on its own, so neither needs a subnet manager or tables that work, and neither is one moment's
// picture: a subnet manager that routes meanwhile leaves a mixture. Each question waits a bounded time. Who does not
// answer is told of by name; what follows from that is the caller's decision (LiveTables::unknown).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier::live {

// The port of this machine from which the subnet is looked at.
struct LocalPort {
  std::string ca;         // "mlx5_0"; empty: the first with an active port
  int port = 0;           // 0: its first active port
  int timeout_ms = 1000;  // for each of the attempts at a question

  // "the live subnet (mlx5_0 port 1)": stands where messages name a file.
  [[nodiscard]] std::string text() const;
};

// The output ports that a packet takes from here to a switch, one per hop; of hop i at ports[i], from 1 on.
struct DirectedRoute {
  std::uint8_t hops = 0;
  std::array<std::uint8_t, 64> ports{};
};

// What has to be known of a switch to read its table.
struct TableAddress {
  DirectedRoute route;
  std::optional<std::uint16_t> top;  // LinearFDBTop, the last LID with an entry; nothing: it did not say
};

// A port of a switch behind which somebody may be, of whom nothing is known.
struct SilentPort {
  SwitchId at;
  PortNum port;
};

struct LiveSubnet {
  Fabric fabric;  // with the LIDs that the nodes have; kNoLid for those that have none or did not say
  IdVector<SwitchId, TableAddress> tables;
  std::vector<SilentPort> silent;
  std::vector<std::string> warnings;  // one sentence for each question that stayed without an answer
};

// Errors: no InfiniBand port that takes management packets, or no right to use it, and what to do; no switch behind
// it; nodes that contradict each other (FabricBuilder::build).
[[nodiscard]] Result<LiveSubnet> discover(const LocalPort& local_port);

struct LiveTables {
  ForwardingTables tables;  // rows of switches that did not answer are kNoPort
  // Why these tables cannot be judged, one sentence for each switch concerned: it did not answer, or it sends packets
  // for a LID of the fabric out of a silent port. Empty: everything that matters is known.
  std::vector<std::string> unknown;
};

// Reads no block above LinearFDBTop or above the fabric's top LID. An entry that names a port that the switch does not
// have is kNoPort, for it drops such packets. Errors: those of the device, and a device that falls silent.
[[nodiscard]] Result<LiveTables> read_tables(const LocalPort& local_port, const LiveSubnet& subnet);

struct LiveLanes {
  Lanes lanes;
  std::size_t num_unknown_paths = 0;   // pairs for which the subnet administrator has no path; SL 0 is assumed
  std::size_t num_unknown_tables = 0;  // pairs of ports whose SL2VL table nobody told; VL 0 is assumed
};

// The SL2VL tables of all switches toward other switches, and a path record for each pair of somebody and a LID at
// another switch. Errors: no subnet administrator, a fabric with too many pairs, those of the device.
[[nodiscard]] Result<LiveLanes> read_lanes(const LocalPort& local_port, const Fabric& fabric,
                                           const IdVector<SwitchId, TableAddress>& addresses,
                                           Progress* progress = nullptr);

}  // namespace espalier::live
