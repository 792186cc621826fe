// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is left of a reference's fabric: its switches, end ports and channels that are in the present fabric as well.
// Matched by GUID and port; both fabrics have their ids in the order of GUIDs, so one pass over each is enough.
#pragma once

#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

struct SlowerChannel {
  ChannelId channel;
  float share;  // of the reference's rate, below 1
};

struct Survivors {
  IdVector<SwitchId, SwitchId> now;             // per switch of the reference: its id now, or kNoSwitch
  IdVector<SwitchId, SwitchId> before;          // per switch now: its id in the reference, or kNoSwitch
  IdVector<ChannelId, std::uint8_t> channel;    // per channel of the reference: the same link is there, both ends
  std::vector<Lid> lid_now;                     // per LID of the reference: the LID of the same owner now; kNoLid: none
  IdVector<SwitchId, std::uint32_t> component;  // per switch of the reference: connected component among the survivors

  std::vector<SwitchId> losers;        // living switches that lost a link to another switch, ascending
  std::vector<SlowerChannel> slower;   // channels between switches that are left, at a lower rate; ascending
  bool has_contradictions = false;     // known switches with other ports, or known nodes with another number of LIDs
  std::vector<SwitchId> new_switches;  // now, that the reference does not know, ascending
  std::vector<EndportId> arrived;      // end ports now, with a LID, that the reference does not know, or elsewhere
  bool has_new_links = false;          // between switches that the reference knows
  bool lids_are_the_same = true;       // lid_now[l] == l wherever it is not kNoLid
};

// Whether the present fabric has equipment that the reference does not know.
[[nodiscard]] inline bool has_news(const Survivors& alive) {
  return alive.has_contradictions || alive.has_new_links || !alive.arrived.empty() || !alive.new_switches.empty();
}

[[nodiscard]] Survivors find_survivors(const Fabric& reference, const Fabric& now);

}  // namespace espalier
