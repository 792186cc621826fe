// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Blocks that every repair has to write: what is written beyond these could have stayed.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "core/repair/reference/prepared_reference.h"

namespace espalier {

using Blocks = std::set<std::pair<std::uint32_t, std::size_t>>;  // switch of the reference, LIDs / kLidsPerBlock

// Of living switches and LIDs: blocks with an entry that
//   * is on a lost link, or of a pair that has lost its up-down path, or
//   * of a pair with such a path leads no hop closer, so that no table of shortest up-down paths can keep it, or
//   * of a pair that never had one leads to where packets cannot go on to the destination, neither by turns that the
//     reference's tables take or up-down paths do nor by any that could be added to these.
[[nodiscard]] Blocks unavoidable_blocks(const PreparedReference& reference, const Fabric& now);

}  // namespace espalier
