// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many phases an exchange needs at least on any fabric, by whatever routes go up and then down its tree: for those
// who make a schedule flow by flow, and for those who ask how large it will be.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

// All-to-all among these servers, of which there is at least one: each sends to all others; the flows of a leaf, and
// of a pod of a three-level tree, share its links upward (phase_bound.h, pod_tree.h). Where the tree has another shape,
// the first reason only. Servers that no cables connect do not meet: each part of the fabric has an exchange of its own,
// and the largest of them counts.
[[nodiscard]] std::uint32_t exchange_bound(const FatTree& tree, const std::vector<EndportId>& servers);

}  // namespace espalier
