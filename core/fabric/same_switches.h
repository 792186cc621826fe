// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What of one fabric is in another as well, before and after a fault: switches by GUID, links by the ports that they join.
#pragma once

#include "core/fabric/fabric.h"

namespace espalier {

// Per switch of `from`: the one of `to` with its GUID; kNoSwitch: there is none. As both have theirs in the order of GUIDs,
// one pass over each is enough.
[[nodiscard]] IdVector<SwitchId, SwitchId> same_switches(const Fabric& from, const Fabric& to);

// Whether there is a link between two switches, and the same one, at ports of the same number of the same switch; `in_to` as
// above.
[[nodiscard]] inline bool is_same_link(const Peer& from, const Peer& to, const IdVector<SwitchId, SwitchId>& in_to) {
  return from.is_switch() && to.is_switch() && from.port == to.port && in_to[from.as_switch()] == to.as_switch();
}

}  // namespace espalier
