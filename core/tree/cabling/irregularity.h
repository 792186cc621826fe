// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One thing about a fabric that a perfect fat tree would not have, and that ranking worked around.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/fabric/ids.h"

namespace espalier {

struct Irregularity {
  enum class Kind : std::uint8_t {
    kDisconnectedPart,     // several parts without a path between them
    kMiswiredLink,         // an uplink above strangers; carries no routes (wrong_links.h)
    kNarrowShortcut,       // a link within or past a level, too narrow for its hosts; carries no routes
    kSameLevelLink,        // a link between two switches of one level
    kLevelSkippingLink,    // a link that passes over a level
    kHostAboveLeaf,        // a host on a switch that has switches below it
    kHostlessLeaf,         // a bottom switch without hosts
    kMissingUplinks,       // fewer links upward than the switches like it, not only by kMissingParallelLink
    kMissingParallelLink,  // a port group with fewer links than the groups like it
    kMixedSpeed,           // a link slower than the others of its switch in that direction
    kAggregationNode,      // a switch-internal CA (SHARP); counted once for the fabric
    kUncabledEndport,      // an end port that hangs on no switch
    kExcludedSwitch,       // a switch that an admin's rule keeps out of the paths of others, or a rule without effect
  };
  Kind kind;
  SwitchId where = kNoSwitch;  // the switch that it is about; kNoSwitch: the fabric as a whole
  std::string text;            // one sentence with GUIDs and descriptions
};

// "same-level link" and so on: stable words, for logs and scripts.
[[nodiscard]] std::string_view name(Irregularity::Kind kind);

// Whether it is one by the levels of a tree alone, and says nothing of a fabric that is none.
[[nodiscard]] bool is_about_levels(Irregularity::Kind kind);

}  // namespace espalier
