// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The verdict about hosts alone, which stands beside that about all traffic.
#pragma once

#include "core/analysis/soundness/verify.h"

namespace espalier {

// verify_between() all end ports that are hosts: without Aggregation Nodes and routers (fabric/endport_role.h).
[[nodiscard]] VerifyReport verify_hosts(const Fabric& fabric, const ForwardingTables& tables,
                                        const Lanes* lanes = nullptr);

}  // namespace espalier
