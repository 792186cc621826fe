// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How pairs without an up-down path are joined, for every engine that routes up-down: what an admin may choose.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"
#include "core/fabric/ids.h"

namespace espalier {

enum class SwitchPaths : std::uint8_t {
  kSubtree,  // over subtrees, where none works by turns; see complete_tables.h
  kUpDown,   // no packet goes up after it came down: if a pair has no such path, everything is routed from one root
  kNone,     // not at all, as OpenSM's ftree: such pairs have no route
};
inline constexpr EnumNames kSwitchPathsNames(SwitchPaths::kNone, {"subtree", "updown", "none"});

struct SwitchPathOptions {
  // What a subtree for pairs of switches may do to the routes of hosts that lead through it (subtree.h, "selective").
  enum class HostRoutes : std::uint8_t {
    kMayMove,  // as in the paper
    kStay,     // if turns that are admitted one by one (turns.h) join all pairs as well
  };
  SwitchPaths how = SwitchPaths::kSubtree;
  // Port GUID of the subnet manager: its leaf does not become a root of a subtree if another switch can be.
  Guid subnet_manager = kNoGuid;
  HostRoutes host_routes = HostRoutes::kMayMove;
};

}  // namespace espalier
