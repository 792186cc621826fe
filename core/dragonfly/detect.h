// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds the groups of a dragonfly in its cabling alone, also where links and switches are missing.
//
// Routers of one group have many neighbors in common, those at the ends of a global link hardly any. So links are
// sorted by the number of triangles they are part of: those with at least t are taken as local, and what they join is a
// group. Of all t the one is taken whose groups have the highest modularity (Newman and Girvan 2004: the share of links
// within groups, minus that share if links were drawn at random), after routers have moved to where it gains most.
//
// A dragonfly+ has no triangles. There the switches without hosts are the spines; a link between a leaf and a spine is
// local, one between spines global.
//
// Groups of Cascade may have more triangles between them than within. They are looked for last (grids.h), or where groups by
// triangles are neither nearly complete nor grids.
//
// What is found has to be a dragonfly: two groups or more, most pairs of them cabled, and groups that are dense.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/dragonfly/dragonfly.h"

namespace espalier {

// Connected components that are no dragonfly make the whole fabric none. There are groups in most random graphs too: for
// callers who know from elsewhere that this is a dragonfly, perhaps a damaged one.
// Errors: why this is not a dragonfly.
[[nodiscard]] Result<Dragonfly> detect_dragonfly(const Fabric& fabric);

// What it says, for several who ask about one fabric.
struct DetectedGroups {
  explicit DetectedGroups(const Fabric& of) : fabric(&of), dragonfly(detect_dragonfly(of)) {}

  const Fabric* fabric;
  Result<Dragonfly> dragonfly;
};
// `known`, where it is of `fabric`; else looks for them.
[[nodiscard]] std::shared_ptr<const DetectedGroups> groups_of(const Fabric& fabric,
                                                              const std::shared_ptr<const DetectedGroups>& known);

// The same for callers who know nothing of the fabric: groups have to be nearly complete, or of more modularity than
// those of a random graph with as many links. So a Jellyfish is none; nor are some dragonflies of five groups or fewer
// of which a fifth of the links is missing.
[[nodiscard]] Result<Dragonfly> recognize_dragonfly(const Fabric& fabric);
// Of one that was detected. Errors: why it may be none.
[[nodiscard]] Status check_is_no_chance(const Dragonfly& dragonfly);

}  // namespace espalier
