// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// TPR's classes of traffic and its tables (Faizian 2018, 4.2 and 4.3), for the policy, which counts packets, and for a
// slow loop, which is given a traffic matrix.
//
// The impact of a router's own traffic to a place (loc) and of others' that goes the same way (glo), in phits for each
// cycle, are benign, mixed or adversarial; tables 4.5 (within a group) and 4.6 (between groups) say for each of the nine
// cases how packets should go. InfiniBand counts by port alone, so that loc and glo of a destination group need a matrix
// or what hosts know.
//
// What a router sends to another group is adversarial only if the links between the two groups are loaded, which is
// what all of its group send there: with one link for several routers one of them may fill it, with many it cannot. So
// loc between groups counts for no more than the load of such a link; routers tell their group. The paper's TPR knows
// nothing but its router, and sends such traffic astray.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/packets/dragonfly.h"

namespace espalier::packets {

enum class Impact : std::uint8_t { kBenign, kMixed, kAdversarial };
enum class Extent : std::uint8_t { kWithinGroup, kBetweenGroups };

// How packets should go.
struct Treatment {
  enum class Kind : std::uint8_t {
    kMinimal,        // whatever queues say; the policy: as kUgal with the most offset that it allows
    kMinimalIfCalm,  // minimally if loc + glo is below a limit that is not published, else as kUgal
    kUgal,
    kValiant,
  };
  Kind kind = Kind::kUgal;
  double offset = 0;  // UGAL's T in packets; above 0 in favor of minimal paths
};

struct Impacts {
  double local = 0;   // loc: phits for each cycle
  double global = 0;  // glo
};

// loc between groups, if the router sends `own` to group `there`, and all of its group `of_group`.
[[nodiscard]] double local_impact(const Dragonfly& dragonfly, std::uint32_t here, std::uint32_t there, double own,
                                  double of_group);
[[nodiscard]] Impact local_class(Extent extent, double local);
[[nodiscard]] Impact global_class(Extent extent, double global);
[[nodiscard]] Treatment treatment(Extent extent, const Impacts& impacts);

// What a traffic matrix comes to under minimal routing: one for each router and each router of its group, or other group,
// that its nodes send to.
struct TrafficClass {
  Extent extent = Extent::kWithinGroup;
  Router router = kNone;
  std::uint32_t to = 0;  // the member of the group, or the group
  double load = 0;       // what the router's nodes send there
  Impacts impacts;
};

struct FlowLoad {
  Node source = kNone;
  Node destination = kNone;
  double load = 0;  // phits for each cycle
};

// By router, those within the group first. Traffic between nodes of one router has no class. Of several links between two
// groups, and of parallel local links, each gets an equal share.
[[nodiscard]] std::vector<TrafficClass> classify(const Network& network, const Dragonfly& dragonfly,
                                                 std::span<const FlowLoad> flows);

}  // namespace espalier::packets
