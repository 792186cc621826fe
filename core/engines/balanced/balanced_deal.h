// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts dealt out to entrances: the shares of balanced_shares.h, made whole and kept in step.
//
// Destinations come in topological order. Each entrance's cable has a credit, which grows by its share with every
// destination and pays for the flows that it takes; the one with most credit takes the next. So whatever stretch of
// destinations a shift makes a pod send to, every cable gets its share of them, give or take one or two.
//
// Credits are the same as in the closed form where all shares are equal. Elsewhere the closed form's choice goes first
// while its credit is not much less than the highest: pods that could do the same stay in step.
//
// Where flows to a host come in already, further pods are welcome, first of all at its home, the ancestor that was
// chosen for all: flows that come down one cable from everywhere are as many as the destinations behind it, whatever
// the permutation. A cable may take a few more in turn for that than its share, which it gives back later.
//
// Where a leaf does not reach the entrance, because a cable of its own is missing, the next in credit serves it.
#pragma once

#include <vector>

#include "core/engines/balanced/balanced_entrances.h"

namespace espalier {

// Rewrites the columns, which are the closed form's.
void deal_out(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, std::span<const Source> sources,
              const std::vector<Inbound>& inbound, HostColumns& columns);

}  // namespace espalier
