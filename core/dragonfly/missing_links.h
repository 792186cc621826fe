// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where a dragonfly has fewer links than most of it: pairs of switches in a group, and pairs of groups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dragonfly/dragonfly.h"

namespace espalier {

// Two switches of one group.
struct MissingLocal {
  SwitchId a = kNoSwitch;
  SwitchId b = kNoSwitch;
  std::uint32_t links = 0;   // that they have
  std::uint32_t wanted = 0;  // that most pairs have
};
// Two groups.
struct MissingGlobal {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t links = 0;
  std::uint32_t wanted = 0;
};
struct MissingLinks {
  std::vector<MissingLocal> local;
  std::vector<MissingGlobal> global;
};

// Only where at least `kClearMajority` of the pairs agree. In groups of Cascade, which are grids, pairs of one row or column
// count.
inline constexpr double kClearMajority = 0.6;
[[nodiscard]] MissingLinks find_missing_links(const Dragonfly& dragonfly);

// The same in words, global links first, for whoever has no names of groups.
struct MissingLinkRemark {
  std::string_view kind;       // "missing global link", "missing local link"
  SwitchId where = kNoSwitch;  // one of the two switches; kNoSwitch: between groups
  std::string text;            // one sentence
};
[[nodiscard]] std::vector<MissingLinkRemark> describe(const Dragonfly& dragonfly, const MissingLinks& missing);

}  // namespace espalier
