// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Entries that a fabric has outgrown: made when links or switches were missing that the reference knows by now.
#pragma once

#include "core/repair/reference.h"

namespace espalier {

// Drops (kNoPort) from tables that follow the reference's orientation what cannot stand beside the up-down paths that
// there are now: entries of pairs with an up-down path that lead along none of the shortest, and detours that would close
// a cycle of channels with up-down paths. Repair then chooses these anew. Tables that follow no orientation stay as they
// are.
void drop_stray_entries(Reference& reference);

}  // namespace espalier
