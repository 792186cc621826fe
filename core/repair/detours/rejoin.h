// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path after a fault: entries that still work stay, the others are chosen anew, and no cycle
// of channel dependencies can close.
//
// What keeps it sound: every step from channel to channel is one that the reference's tables take, or that is up-down,
// or that was admitted by ChannelOrder (core/engines/detours/channel_order.h), which holds all of these free of cycles.
// What keeps packets out of forwarding loops: a switch joins a column only behind a neighbor that reaches the destination.
//
// Turns that are lost, between two planes mostly, are made up for by those that are left: what comes from one plane goes
// over a third to the other, and nobody else changes an entry. Where another cable joins the same two switches, turns go over
// that; those of a root with a top that it has lost are made up for at another switch (both mended_turns.h), and those of
// a root that is cut off from its leaf move to another leaf (moved_turns.h), since no others lead there. Where that does
// not connect all, it is taken back: all turns of roots that are cut off move; and then those of every plane that has lost
// any, and new ones are admitted. (All at once: up to 1.36 of the unavoidable blocks for one switch in place of 0.99.)
//
// Per column, until all switches have joined:
//   1. who has its entry from the reference on a link that is left, toward a neighbor that has joined, keeps it;
//   2. who has lost its link takes a neighbor that has joined, over a step that is allowed already;
//   3. one of the others does the same by whose new entry one that has lost its link can join, with all who come to it;
//   4. any other one does, by whom most others go first: its entry is whole, but what was behind it is not;
//   5. one takes an allowed turn at a leaf that would send the packet on by another port: the leaf changes to it
//      (leaf_turns.h). For the LID of a host, flows whose route was whole change too, so the next comes first;
//   6. one new dependency is admitted, where it closes no cycle.
// Among several neighbors the one with the fewest hops left is taken, equal ones by turns; for a new dependency the
// lowest.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

// Fills the rows of `state` for the columns of `open`. Entries of pairs that no link joins any more become
// kNoPort where their own link is lost, or the turn behind it has moved.
// `loads`: those of all flows of hosts that have an up-down path, before and after.
// Errors: a pair that could not be joined; the rows are as they were then.
[[nodiscard]] Status rejoin(WorkingState& state, const OpenEntries& open, ClassLoads& loads);

}  // namespace espalier
