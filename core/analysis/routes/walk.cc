// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/walk.h"

namespace espalier {

Step step_through(const Fabric& fabric, PortNum port, SwitchId at, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  if (port == kNoPort) return {};
  if (port == kManagementPort) {
    const bool mine = owner.kind == LidOwner::Kind::kSwitch && SwitchId{owner.id} == at;
    return {mine ? Step::Kind::kDelivered : Step::Kind::kWrongDelivery, port};
  }
  if (index(port) > fabric.at(at).num_ports) return {Step::Kind::kBadPort, port};
  const Peer& peer = fabric.peer(at, port);
  if (peer.is_switch()) return {Step::Kind::kForward, port, peer.as_switch()};
  if (!peer.is_endport()) return {Step::Kind::kBadPort, port};
  const bool its = owner.kind == LidOwner::Kind::kEndport && owner.id == peer.id;
  return {its ? Step::Kind::kDelivered : Step::Kind::kWrongDelivery, port};
}

Step step(const Fabric& fabric, const ForwardingTables& tables, SwitchId at, Lid lid) {
  return index(lid) < tables.width() ? step_through(fabric, tables.at(at, lid), at, lid) : Step{};
}

Step step(const Fabric& fabric, const TableRows& tables, SwitchId at, Lid lid) {
  return index(lid) < tables.width() ? step_through(fabric, tables.at(at, lid), at, lid) : Step{};
}

Walk walk(const Fabric& fabric, const ForwardingTables& tables, SwitchId from, Lid lid) {
  constexpr std::uint32_t kUnseen = 0xFFFFFFFF;
  IdVector<SwitchId, std::uint32_t> seen(fabric.num_switches(), kUnseen);
  Walk result;
  for (result.last = from;;) {
    if (seen[result.last] != kUnseen) {
      result.loop = seen[result.last];
      result.outcome = Step::Kind::kForward;
      return result;
    }
    seen[result.last] = static_cast<std::uint32_t>(result.channels.size());
    const Step next = step(fabric, tables, result.last, lid);
    if (next.kind != Step::Kind::kForward) {
      result.outcome = next.kind;
      return result;
    }
    result.channels.push_back(fabric.channel(result.last, next.port));
    result.last = next.next;
  }
}

}  // namespace espalier
