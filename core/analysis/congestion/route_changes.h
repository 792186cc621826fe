// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What became of the routes between two states of a fabric, for example before and after a fault. Switches are matched
// by GUID, end ports by port GUID, links by both ends; dense ids may differ. An end port without a link counts as gone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct Routed {
  const Fabric& fabric;
  const ForwardingTables& tables;
  const std::vector<EndportId>& hosts;
};

// All-to-all flows between the hosts of both states on one channel.
struct LoadChange {
  ChannelId before = kNoChannel;  // id in the first fabric; kNoChannel: the link is new
  ChannelId after = kNoChannel;   // id in the second fabric; kNoChannel: the link is gone
  std::uint64_t flows_before = 0;
  std::uint64_t flows_after = 0;
};

struct RouteChanges {
  std::vector<SwitchId> switches_gone;  // ids of the first fabric
  std::vector<SwitchId> switches_new;   // ids of the second
  std::vector<EndportId> hosts_gone;
  std::vector<EndportId> hosts_new;
  std::vector<ChannelId> links_gone;  // one of the two channels; without those of switches that are gone
  std::vector<ChannelId> links_new;

  // (switch, LID) in both states, the LID with the same owner.
  std::uint64_t num_entries = 0;
  std::uint64_t entries_changed = 0;

  // Ordered pairs of hosts in both states. A flow that arrives in both has moved when it crosses other channels.
  std::uint64_t num_flows = 0;
  std::uint64_t flows_forced = 0;    // moved, and the old route is broken
  std::uint64_t flows_unforced = 0;  // moved, though all of the old route is still there
  std::uint64_t flows_lost = 0;      // arrived before, not after
  std::uint64_t flows_won = 0;
  // Pairs with a host of the first state that is gone.
  std::uint64_t flows_gone = 0;  // that arrived

  std::vector<LoadChange> loads;  // channels with another load, the greatest rise first
  std::uint64_t max_before = 0;   // flows on the fullest channel
  std::uint64_t max_after = 0;
};

[[nodiscard]] RouteChanges compare_routes(const Routed& before, const Routed& after);

}  // namespace espalier
