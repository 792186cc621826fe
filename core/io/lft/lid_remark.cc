// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lft/lid_remark.h"

#include <fmt/format.h>

#include "core/io/node_description.h"

namespace espalier::io {

std::string lid_remark(const Fabric& fabric, Lid lid) {
  const LidOwner who = lid <= fabric.top_lid() ? fabric.owner(lid) : LidOwner{};
  if (who.kind == LidOwner::Kind::kSwitch) {
    const Switch& s = fabric.at(SwitchId{who.id});
    return fmt::format("Switch portguid 0x{:016x}: '{}'", index(s.guid), opensm_description(s.description));
  }
  if (who.kind == LidOwner::Kind::kEndport) {
    const Endport& e = fabric.at(EndportId{who.id});
    return fmt::format("{} portguid 0x{:016x}: '{}'", e.kind == EndportKind::kRouter ? "Router" : "Channel Adapter",
                       index(e.port_guid), opensm_description(e.description));
  }
  return "unknown node and type";
}

}  // namespace espalier::io
