// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The paths of the dragonfly engines: for each LID a tree toward it, in four cases.
//
//   where the packet is                           it goes
//   in the group D of the destination             to the destination's switch, maybe over a detour router
//   in the intermediate group I of the LID        to D, maybe over a detour router
//   in any other group, if the LID has an I       to I
//   in any other group, else                      to D (or, without a link to it, a group nearer)
//
// A detour is one local hop more, where the turn is allowed on one lane and both hops exist (García 2013, III-B). Each
// case leads to the next one or ends, so every LID is reached from everywhere: D is nearer than I, I than the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dragonfly/codewords.h"
#include "core/dragonfly/dragonfly.h"
#include "core/engines/dragonfly/group_paths.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

inline constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

// What is chosen for one LID.
struct LidRoute {
  SwitchId to = kNoSwitch;                  // kNoSwitch: nobody's LID
  PortNum last_port = kNoPort;              // of `to`
  std::uint32_t variant = 0;                // which of several equal paths
  std::uint32_t middle = kNoGroup;          // I
  SwitchId middle_detour = kNoSwitch;       // in I
  SwitchId destination_detour = kNoSwitch;  // in D
};

enum class PathSet : std::uint8_t {
  kMinimal,     // every LID by shortest paths
  kNonminimal,  // hosts at LID offsets above 0 by intermediate groups, in turn
};

// By LID, 0 .. top_lid. With `codewords` a group is intermediate only where its own packets have an SL, too.
[[nodiscard]] std::vector<LidRoute> choose_routes(const Dragonfly& dragonfly, PathSet paths,
                                                  const Codewords* codewords);

// Where a packet of `route` goes from group `from` in the end: I, or D, or kNoGroup for what is not connected. It goes
// to I only where `codewords` (null: no matter) have an SL for it, and links to I are no slower than those to D.
[[nodiscard]] std::uint32_t aim(const Dragonfly& dragonfly, const LidRoute& route, std::uint32_t from,
                                const Codewords* codewords);

enum class Detours : std::uint8_t { kParitySign, kAll };  // kAll closes credit loops: for tests

[[nodiscard]] ForwardingTables fill_tables(const Dragonfly& dragonfly, const GroupPaths& paths,
                                           const std::vector<LidRoute>& routes, const Codewords* codewords,
                                           Detours detours = Detours::kParitySign);

}  // namespace espalier
