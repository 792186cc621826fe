// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One packet, entry by entry: where the tables take it and how that ends. For messages, explanations and models; whole
// tables are judged by verify().
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/table_rows.h"

namespace espalier {

// Where one table entry takes a packet.
struct Step {
  enum class Kind : std::uint8_t {
    kForward,        // over a link to the switch `next`
    kDelivered,      // to the owner of the LID
    kMissingEntry,   // kNoPort, or the row ends before the LID: the switch drops the packet
    kBadPort,        // a port that the switch does not have or that has no link
    kWrongDelivery,  // to a port 0 or an end port that does not own the LID
  };
  Kind kind = Kind::kMissingEntry;
  PortNum port = kNoPort;     // the entry
  SwitchId next = kNoSwitch;  // set for kForward
};

// Where `port`, as the entry of the switch `at` for this LID, takes a packet. REQUIRES: lid <= fabric.top_lid().
[[nodiscard]] Step step_through(const Fabric& fabric, PortNum port, SwitchId at, Lid lid);

// REQUIRES: lid <= fabric.top_lid().
[[nodiscard]] Step step(const Fabric& fabric, const ForwardingTables& tables, SwitchId at, Lid lid);
[[nodiscard]] Step step(const Fabric& fabric, const TableRows& tables, SwitchId at, Lid lid);

struct Walk {
  std::vector<ChannelId> channels;  // switch-to-switch channels in the order they are crossed
  SwitchId last = kNoSwitch;        // the switch at which it ended
  Step::Kind outcome = Step::Kind::kMissingEntry;
  // A forwarding loop: outcome is kForward, and channels[loop ...] is one round.
  std::size_t loop = 0;
};

// From `from` to wherever the tables take `lid`. REQUIRES: lid <= fabric.top_lid(). O(switches).
[[nodiscard]] Walk walk(const Fabric& fabric, const ForwardingTables& tables, SwitchId from, Lid lid);

}  // namespace espalier
