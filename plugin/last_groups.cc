// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/last_groups.h"

#include "core/fabric/same_switches.h"

namespace espalier {
namespace {

// Whether every port has what it had there, or nothing.
bool is_part_of(const Fabric& part, const Fabric& whole) {
  const IdVector<SwitchId, SwitchId> in_whole = same_switches(part, whole);
  for (const SwitchId s : part.switches()) {
    const SwitchId was = in_whole[s];
    if (was == kNoSwitch || whole.at(was).num_ports != part.at(s).num_ports) return false;
    for (const PortNum p : part.ports(s)) {
      const Peer& is = part.peer(s, p);
      const Peer& before = whole.peer(was, p);
      if (is.kind == Peer::Kind::kNone) continue;
      if (is.kind != before.kind || (is.is_switch() && !is_same_link(is, before, in_whole))) return false;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const DetectedGroups> LastGroups::find(const std::shared_ptr<const Fabric>& fabric) {
  if (groups_ && (fabric == fabric_ || fabric == part_)) return groups_;
  if (groups_ && stands_for(*fabric)) {
    part_ = fabric;
    return groups_;
  }
  groups_ = std::make_shared<const DetectedGroups>(*fabric);
  fabric_ = fabric;
  part_.reset();
  return groups_;
}

bool LastGroups::stands_for(const Fabric& fabric) const {
  const bool is_dragonfly = groups_->dragonfly && check_is_no_chance(*groups_->dragonfly);
  return !is_dragonfly && is_part_of(fabric, *fabric_);
}

}  // namespace espalier
