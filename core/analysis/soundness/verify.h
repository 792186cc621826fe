// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The proof that stands between route and apply: every LID is delivered from every switch of its connected component,
// no packet loops, and no credit loop can form with all traffic (hosts, switches, Aggregation Nodes, all LID offsets).
//
// Why no packet has to be walked. Call an entry (s, LID) locally right when it leads over an existing link to another
// switch, or to the very owner of the LID. Suppose that all entries are locally right, and that the channel dependency
// graph (channel_dependencies.h) has no cycle. Follow a packet: at each switch its entry is right, so it moves on or
// has arrived. Each two channels that it crosses one after the other are a dependency, by definition of the graph; were
// it to move on for ever, it would come back to a channel, and its dependencies would close a cycle. So it arrives, and
// at the owner. One pass over the entries and one over pairs of neighboring entries thus prove delivery for all pairs
// of (switch, LID), where walking each pair would cost the path length times as much and a cache miss per step.
//
//     switch A: LID 7 -> port 1 (to B)      switch B: LID 7 -> port 1 (back to A)
// Both entries are locally right; (A,1) -> (B,1) -> (A,1) is a cycle of the graph. The converse does not hold: a cycle
// may be made of several LIDs, each of which arrives (a mere credit loop). So only if there is a cycle does an exact
// search per LID say whether there are forwarding loops.
//
// What is asked of which entry:
//   LID owned in the switch's connected component   there must be an entry, and a right one
//   LID owned elsewhere, or by an end port     need not have an entry; one that exists must be right, and counts in the
//   that hangs on no switch                    graph: stale paths are still used by senders, and must end in a drop
//   LID owned by nobody                        ignored: no path record hands it out
// A LID at or above the switch's lft_capacity counts as missing: the hardware cannot hold the entry.
//
// Cost: O(switches x LIDs), parallel by switch, some megabytes; docs/measured/trees.md has measured times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier {

class ChannelDependencies;

struct Violation {
  enum class Kind : std::uint8_t {
    kMissingEntry,   // no port for a LID of the same connected component
    kBadPort,        // a port that does not exist or has no link
    kWrongDelivery,  // handed to a switch's port 0 or an end port that does not own the LID
    kDiscarded,      // an SL2VL table throws away packets that some source sends
    kLoop,           // packets for the LID come back and never arrive
    kCreditLoop,     // a cycle of the channel dependency graph; always there too where there is a forwarding loop
  };
  Kind kind;
  SwitchId at = kNoSwitch;  // where it was found; of a loop, its lowest switch; of a credit loop, its first channel's
  Lid lid = kNoLid;         // for which LID; kNoLid for a credit loop
  std::string text;         // one sentence with GUIDs and descriptions; a credit loop adds a line per link
};

// "missing entry" and so on: stable words, for logs and scripts.
[[nodiscard]] std::string_view name(Violation::Kind kind);

struct VerifyReport {
  // The first of each kind that was found, in (switch, LID) order, kinds in the order of the enum; empty: the tables
  // are sound.
  std::vector<Violation> violations;
  // How many (switch, LID) entries are wrong in themselves or lie on a forwarding loop, and one more for a credit
  // loop.
  std::uint64_t num_violations = 0;
  std::vector<ChannelId> credit_loop;         // a cycle, channel by channel; empty: none
  std::vector<std::uint8_t> credit_loop_vls;  // with lanes: the VL of each of these channels
  std::uint64_t num_entries = 0;              // (switch, owned LID) pairs that were checked
  std::uint64_t num_dependencies = 0;         // edges of the channel dependency graph

  std::shared_ptr<const ChannelDependencies> dependencies{};  // the graph, where lanes were given

  [[nodiscard]] bool ok() const { return violations.empty(); }
};

// REQUIRES: tables.num_switches() == fabric.num_switches(). Rows may be narrower (the rest is missing) or wider (the
// rest is ignored) than the fabric's LIDs.
[[nodiscard]] VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables);

// The same with lanes: the graph is that of virtual channels, and each source uses the SLs that `lanes` tell it to use,
// so no packet may come to where its SL2VL table throws it away. That a packet arrives follows as above: its virtual
// channels, too, are dependencies one by one.
[[nodiscard]] VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes);
// On one lane without any.
[[nodiscard]] inline VerifyReport verify(const Fabric& fabric, const ForwardingTables& tables,
                                         const std::optional<Lanes>& lanes) {
  return lanes ? verify(fabric, tables, *lanes) : verify(fabric, tables);
}

// The same for packets from end ports of the list to each other alone, at all LID offsets: no other entry is asked for,
// none makes a dependency. With all end ports this is the question that ibdmchk of ibutils answers.
[[nodiscard]] VerifyReport verify_between(const Fabric& fabric, const ForwardingTables& tables,
                                          const std::vector<EndportId>& endports, const Lanes* lanes = nullptr);

}  // namespace espalier
