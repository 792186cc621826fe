// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fabric as the inner loop wants it: the cabled ports of all switches numbered in a row, each with what it leads to.
//
// A port is both ends of a link's two channels here: what is sent leaves by it, what the other end sends comes in by
// it. Ports of a router are consecutive, in the order of their port numbers. Router i is the switch of SwitchId i.
//
// Routers, ports and nodes are plain integers: the inner loop adds and multiplies them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier::packets {

using Router = std::uint32_t;
using Port = std::uint32_t;  // 0 .. num_ports()-1, over all routers
using Node = std::uint32_t;  // an end port that is cabled to a switch, or a switch's own port 0; 0 .. num_nodes()-1
using Cycle = std::uint32_t;

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// Ports of a router that a set of alternatives can name, a bit each.
inline constexpr std::uint8_t kMostPositions = 64;

enum class PortClass : std::uint8_t { kNode, kLocal, kGlobal };  // all links of a fabric without groups are local

struct PortEnd {
  std::uint32_t peer = kNone;  // the port at the other end; of kNode ports the node
  Router router = kNone;
  Router neighbor = kNone;    // the router at the other end
  std::uint16_t latency = 1;  // cycles
  std::uint8_t position = 0;  // among the router's ports
  PortClass kind = PortClass::kLocal;
};

struct Network {
  std::vector<Port> first_port;  // of each router, and the end
  std::vector<PortEnd> ports;
  std::vector<Port> node_port;       // of each node: the port of its router
  std::vector<EndportId> endport;    // of each node that is one
  Node num_hosts = 0;                // nodes below are end ports, those from here on switches by id, if they take part
  std::vector<PortNum> port_number;  // of each port
  std::vector<std::uint16_t> slowness;  // of each port: cycles for a phit, 1 for the fastest links of the fabric

  [[nodiscard]] std::uint32_t num_routers() const { return static_cast<std::uint32_t>(first_port.size()) - 1; }
  [[nodiscard]] std::uint32_t num_ports() const { return static_cast<std::uint32_t>(ports.size()); }
  [[nodiscard]] std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(node_port.size()); }
  [[nodiscard]] Router router_of(Node node) const { return ports[node_port[node]].router; }
  [[nodiscard]] std::uint32_t degree(Router r) const { return first_port[r + 1] - first_port[r]; }
};

// Who sends and receives.
enum class Members : std::uint8_t { kHosts, kHostsAndSwitches };

// Nodes in the order of end port ids, then, if they take part, switches. Links of unknown rate count as the fastest, and
// port 0 of switches takes `switch_slowness` cycles for a phit.
[[nodiscard]] Network make_network(const Fabric& fabric, Members members = Members::kHosts,
                                   std::uint16_t switch_slowness = 1);

}  // namespace espalier::packets
