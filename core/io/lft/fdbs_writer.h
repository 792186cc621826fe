// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Forwarding tables in the dialect of OpenSM's opensm.fdbs (lft_lines.h), which ibdmchk of ibutils checks together with
// opensm-subnet.lst. read_lfts() reads it back.
#pragma once

#include <string>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// "Hops" are those of a shortest path through the port, one more for an end port; "Optimal" says whether another port
// has a shorter one. OpenSM's are the same when its engine computes least hops (minhop, updn, file); the path that the
// tables take may be longer. Memory: the square of the number of switches, in bytes.
// REQUIRES: the tables have a row for each switch of the fabric.
[[nodiscard]] std::string write_fdbs(const Fabric& fabric, const ForwardingTables& tables);

}  // namespace espalier
