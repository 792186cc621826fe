// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Simple tables to judge: no engine is needed to test the judge.
#pragma once

#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/generators/pgft.h"

namespace espalier::test {

// Like OpenSM's minhop: a shortest path, of several ports the one that LID + salt modulo their number points to. Switch
// LIDs take the first of these ports: spread over the leaves, paths from root to root close a credit loop even on the
// smallest fat tree. LIDs that cannot be reached get no entry.
[[nodiscard]] ForwardingTables route_shortest(const Fabric& fabric, std::size_t salt = 0);

// Along a breadth-first tree from the lowest switch of each part: sound on every fabric, whatever it looks like.
[[nodiscard]] ForwardingTables route_tree(const Fabric& fabric);

// D-mod-K (Zahavi 2010) in the digits of the generator's host numbers: at level l host d takes up-port
// floor(d / (w1 ... wl)) mod (w(l+1) p(l+1)), counted over parents first, then over parallel links; and comes down by
// the same parallel link. Switch LIDs as route_tree(): the subtree of Bogdanski 2012. REQUIRES: `fabric` is
// generate_pgft(spec), w1 = p1 = 1.
[[nodiscard]] ForwardingTables route_dmodk(const Fabric& fabric, const PgftSpec& spec);

// The hosts in the generator's order.
[[nodiscard]] std::vector<EndportId> all_endports(const Fabric& fabric);

}  // namespace espalier::test
