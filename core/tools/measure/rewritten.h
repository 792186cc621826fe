// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a subnet manager writes when a fabric has changed.
#pragma once

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/table_delta.h"

namespace espalier::tools {

// Of the switches in both fabrics, matched by GUID; ids in the result are those of `after`. A switch that is new had no
// routes.
[[nodiscard]] TableDelta rewritten(const Fabric& before, const ForwardingTables& tables_before, const Fabric& after,
                                   const ForwardingTables& tables_after);

}  // namespace espalier::tools
