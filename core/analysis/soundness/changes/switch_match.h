// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether a fabric is an earlier one with losses, and which of its switches was which.
#pragma once

#include <optional>

#include "core/fabric/fabric.h"

namespace espalier {

// Which switch of one fabric is which of the other.
struct SwitchMatch {
  IdVector<SwitchId, SwitchId> now;     // per switch of before; kNoSwitch: it is gone
  IdVector<SwitchId, SwitchId> before;  // per switch of now
};

// By GUID. Nothing: a switch of now is new, or another.
[[nodiscard]] std::optional<SwitchMatch> match_by_guid(const Fabric& then, const Fabric& now);

// Whether every link and every LID of now was there, with the same at its end.
[[nodiscard]] bool has_only_losses(const Fabric& then, const Fabric& now, const SwitchMatch& match);

}  // namespace espalier
