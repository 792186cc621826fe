// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which LID of its destination a known flow uses. All that goes to one LID shares a tree; where a host has 2^LMC of them,
// flows to it that would have to share a channel need not (the (d, k) trees of SDN-single on destination-based tables).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/layers/tree_search.h"
#include "core/fabric/choices/lid_choices.h"
#include "core/fabric/known_flows.h"

namespace espalier {

// A flow for each pair, by destination and source: what a list says of one pair several times is one flow.
[[nodiscard]] std::vector<KnownFlow> merged_flows(std::span<const KnownFlow> flows);

// Of each flow the offset. REQUIRES of all: `flows` are merged_flows().
using FlowOffsets = std::vector<std::uint8_t>;

// Dealt out: the flows to a destination, heavier ones first, each to the LID that is sent least so far.
[[nodiscard]] FlowOffsets deal_offsets(const Fabric& fabric, std::span<const KnownFlow> flows);

// Best responses on given trees: each flow turns to the LID whose path costs least on the loads of all others, until
// none does. True where any did. REQUIRES: `trees` are loaded by these flows at these offsets.
[[nodiscard]] bool improve_offsets(const SwitchGraph& graph, TreeSearch trees, std::span<const KnownFlow> flows,
                                   FlowOffsets& offsets);

// For hosts: of the pairs with a known flow the LID that it uses.
[[nodiscard]] LidChoices choices_of(const Fabric& fabric, std::span<const KnownFlow> flows, const FlowOffsets& offsets);

}  // namespace espalier
