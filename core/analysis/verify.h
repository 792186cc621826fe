// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The proof that stands between route and apply: every LID is delivered from every switch of its connected part, no
// packet loops, and no credit loop can form with all traffic (hosts, switches, Aggregation Nodes, all LID offsets).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Violation {
  enum class Kind : std::uint8_t {
    kMissingEntry,   // no port for a LID of the same connected part
    kBadPort,        // a port that does not exist or has no cable
    kWrongDelivery,  // handed to a switch's port 0 or an end port that does not own the LID
    kLoop,           // packets for the LID circle and never arrive
    kCreditLoop,     // a cycle of the channel dependency graph
  };
  Kind kind;
  SwitchId at = kNoSwitch;  // where it was found
  Lid lid = kNoLid;         // for which LID; kNoLid for a credit loop
  std::string text;         // one sentence with GUIDs and descriptions
};

struct VerifyReport {
  // The first of each kind that was found, in (switch, LID) order; empty: the tables are sound.
  std::vector<Violation> violations;
  std::uint64_t num_violations = 0;    // how many (switch, LID) entries are wrong
  std::vector<ChannelId> credit_loop;  // a cycle, channel by channel; empty: none
  std::uint64_t num_entries = 0;       // (switch, LID) pairs that were checked
  std::uint64_t num_dependencies = 0;  // edges of the channel dependency graph

  [[nodiscard]] bool ok() const { return violations.empty(); }
};

// REQUIRES: tables.num_switches() == fabric.num_switches(). Rows may be narrower or wider than the fabric's LIDs.
[[nodiscard]] VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables);

}  // namespace espalier
