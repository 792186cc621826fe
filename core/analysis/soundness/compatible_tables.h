// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether switches may take one set of tables for another in any order, one entry at a time, under traffic.
//
// While blocks are on their way, each entry is that of `before` or that of `after`, and nobody knows which. So ask the
// channel dependency graph of both at once: an edge for each LID, each of the two entries of a switch, and each of the
// two of the switch behind it. The graph of every state in between is a part of this one. If this one has no cycle, and
// an entry that is right in both tables stays right whichever it is, then no state in between has a credit loop, none
// has forwarding loops (they would close a cycle, see verify.h), and each delivers what both deliver.
//
// Known as a compatible reconfiguration: J. Duato, O. Lysne, R. Pang, T. M. Pinkston, "A theory for deadlock-free
// dynamic network reconfiguration, part I" (IEEE TPDS 16(5), 2005): old and new routing may be mixed if the union of
// their dependencies, mixed routes included, has no cycle. Sufficient, not necessary: a mere order of updates may do.
#pragma once

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// REQUIRES: both have the switches of the fabric, and are equally wide.
[[nodiscard]] bool are_compatible(const Fabric& fabric, const ForwardingTables& before, const ForwardingTables& after);

}  // namespace espalier
