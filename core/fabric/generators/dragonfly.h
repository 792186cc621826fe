// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Generates dragonflies: J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly topology",
// ISCA 2008. Groups of routers that are all cabled to each other; any two groups are cabled, too.
//
//       R0--R1   R2--R3   R4--R5        "1,2,1,3": a host on each router, two routers in a group, one global link at
//       |    \__ /    \__ /    |        each router, three groups (absolute arrangement)
//       '----------------------'
//
// (p,a,h,g): p hosts on a router, a routers in a group, h global links of a router, g groups; a (p + h) + a (a-1) ports
// in a group. At most g = a h + 1 groups; with fewer any two have floor(a h / (g - 1)) links, and the ports that remain
// have none. In Cray's Cascade (Faanes 2012; Faizian 2018, 2.1.2) the routers of a group stand in a grid of R rows and
// C columns, a = R C, with r parallel links between any two of a row and c between any two of a column: Edison is
// "4,96,10,15;6,16,1,3".
//
// Arrangement: which router of a group has the link to which other group. Nobody's paper fixes it. The global ports of
// a group are numbered router by router, 0 .. a h - 1, in rounds of g - 1. Within a round the port to group X is
//   absolute   X, or X - 1 above the own number
//   relative   (X - own number) mod g - 1: what a group looks like does not depend on its number (palmtree)
//   random     drawn for each group
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/generators/number_lists.h"

namespace espalier {

// One link between groups, by numbers of groups and of routers within them.
struct GlobalLink {
  unsigned group = 0;
  unsigned router = 0;
  unsigned other_group = 0;
  unsigned other_router = 0;
};

struct DragonflySpec {
  enum class Arrangement : std::uint8_t { kAbsolute, kRelative, kRandom, kListed };

  unsigned hosts = 0;    // p
  unsigned routers = 0;  // a
  unsigned globals = 0;  // h
  unsigned groups = 0;   // g
  // The grid of a group; rows 0: all routers of a group are cabled to each other.
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned row_links = 1;
  unsigned column_links = 1;

  Arrangement arrangement = Arrangement::kAbsolute;
  std::uint64_t seed = 1;          // kRandom
  std::vector<GlobalLink> listed;  // kListed

  // {{p, a, h, g}} or {{p, a, h, g}, {R, C, r, c}}. Errors: lists of another form, a that is not R C.
  [[nodiscard]] static Result<DragonflySpec> from(const NumberLists& lists);
  [[nodiscard]] std::string text() const;
};

// "absolute", "relative" or "random". Errors: any other word.
[[nodiscard]] Result<DragonflySpec::Arrangement> parse_arrangement(std::string_view word);

// Lines `group router group router`, counted from 0; '#' starts a comment.
// Errors, with file and line: anything else.
[[nodiscard]] Result<std::vector<GlobalLink>> parse_global_links(std::string_view text, const std::string& file);

// All LIDs assigned (LMC 0). Ports of a router: hosts, then the group by ascending router (the row before the column),
// then other groups. "group 3 router 2". GUIDs of made_up_nodes.h.
// Errors: pairs of groups without a link; more ports than a switch can have, more nodes than there are LIDs; a listed
// link at a router that has no port left, within a group or to a router that is not there.
[[nodiscard]] Result<Fabric> generate_dragonfly(const DragonflySpec& spec);

}  // namespace espalier
