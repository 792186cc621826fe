// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// By what weights sources should spread over the LID offsets of engine dragonfly-rlm.
//
// Offset 0 takes a shortest path, the others go over third groups. If a group sends to one other alone, all its shortest
// paths end in one global link, while those over third groups have many: spread evenly over 2^LMC offsets, that one link
// carries 1/2^LMC of it all and is full first. So each other offset weighs four times as much: under ADVG+1 that has 0.9 of
// what Valiant's routing could have (docs/measured/lanes.md), and the shortest link still carries its share.
//
// Rejected: leaving out, source group by source group, offsets whose intermediate group is the source's own and which so go
// a shortest path as well. What they would carry crowds on the other offsets (ADVG+1 at h = 4 and LMC 3 0.4315 instead of
// 0.4361 of a host's rate).
#pragma once

#include "core/fabric/choices/lid_choices.h"
#include "core/fabric/fabric.h"

namespace espalier {

// By number of LIDs of the destination.
[[nodiscard]] LidChoices weigh_offsets(const Fabric& fabric);

}  // namespace espalier
