// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Random numbers that need no order: each is computed from what it is for. So threads may draw in any order, and a
// fabric that changes a little changes only the choices that it takes part in.
#pragma once

#include <cstdint>

#include "core/base/hash.h"
#include "core/fabric/fabric.h"

namespace espalier {

// What stands for a LID in such draws: the GUID of its owner and the offset, which survive a change of LIDs.
// REQUIRES: lid <= fabric.top_lid(), and it has an owner.
[[nodiscard]] inline std::uint64_t identity(const Fabric& fabric, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  const Guid guid = owner.kind == LidOwner::Kind::kSwitch ? fabric.at(SwitchId{owner.id}).guid
                                                          : fabric.at(EndportId{owner.id}).port_guid;
  return mix(static_cast<std::uint64_t>(guid), owner.offset);
}

}  // namespace espalier
