// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Pairs without an up-down path after a fault: entries that still work stay, the others are chosen anew, and no cycle
// of channel dependencies can close.
//
// What keeps it sound: every step from channel to channel is one that the reference's tables take, or that is up-down,
// or that was admitted by ChannelOrder (core/engines/detours/channel_order.h), which holds all of these free of cycles.
// Before all that, the turns of leaves that have lost a link of theirs move to other leaves (moved_turns.h).
// What keeps packets from circling: a switch joins a column only behind a neighbor that reaches the destination.
//
// Per column, until all switches have joined:
//   1. who has its entry from the reference on a link that is left, toward a neighbor that has joined, keeps it;
//   2. who has lost its link takes a neighbor that has joined, over a step that is allowed already;
//   3. one of the others does the same, by whom most others go first: its entry is whole, but what was behind it is not;
//   4. one new dependency is admitted, where it closes no cycle;
//   5. one takes an allowed turn at a leaf that reaches the destination, but another way: the leaf changes to it, and so
//      do flows whose route was whole.
// Among several neighbors the one with the fewest hops left is taken, equal ones by turns; for a new dependency the
// lowest.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/repair/open_entries.h"
#include "core/repair/working_state.h"

namespace espalier {

// Fills the rows of `state` for the columns of `open`. Entries of pairs that no link joins any more become
// kNoPort where their own link is lost, or the turn behind it has moved.
// Errors: a pair that could not be joined; the rows are incomplete then.
[[nodiscard]] Status rejoin(WorkingState& state, const OpenEntries& open);

}  // namespace espalier
