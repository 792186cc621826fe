// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whose packets close a credit loop. verify() asks for safety with all traffic, because the subnet manager talks to
// every LID from anywhere. An admin with a loop in a running fabric asks next: can the users' traffic alone hang it?
//
// The dependency graph of host traffic needs no second algorithm: of the tables, keep the entries that a packet from
// a host to a host can meet, and take the graph of what is left. Two neighboring entries of one LID are kept if and
// only if such a packet meets the first, hence also the second.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// The entries that packets from the leaves of `hosts` to LIDs of `hosts` (all offsets) meet; the others are kNoPort.
// REQUIRES: tables.num_switches() == fabric.num_switches().
[[nodiscard]] ForwardingTables only_host_traffic(const Fabric& fabric, const ForwardingTables& tables,
                                                 const std::vector<EndportId>& hosts);

// The same, and where these packets come to, with an entry there or without.
struct HostTraffic {
  ForwardingTables tables;
  std::vector<std::uint8_t> met;  // per switch and LID, as the rows of `tables`: 1 where a packet comes along

  [[nodiscard]] bool meets(SwitchId s, Lid lid) const { return met[index(s) * tables.width() + index(lid)] != 0; }
};
[[nodiscard]] HostTraffic host_traffic(const Fabric& fabric, const ForwardingTables& tables,
                                       const std::vector<EndportId>& hosts);

// A packet that crosses one channel and then another.
struct ExamplePacket {
  enum class Kind : std::uint8_t {
    kNone,  // there is no such packet
    kHostToHost,
    kHostToOther,  // to a switch, an Aggregation Node, ...
    kSwitch,       // sent by a switch or an Aggregation Node in it
  };
  Kind kind = Kind::kNone;
  EndportId host = kNoEndport;  // the sender; kNoEndport: `from` itself
  SwitchId from = kNoSwitch;    // the sender's switch
  Lid lid = kNoLid;             // where to
};

// Of the packets that cross `first` and leave the switch behind it by `second`: the one of the lowest kind, then with
// the lowest LID, then from the lowest host or switch.
[[nodiscard]] ExamplePacket example_packet(const Fabric& fabric, const ForwardingTables& tables,
                                           const std::vector<EndportId>& hosts, ChannelId first, ChannelId second);

}  // namespace espalier
