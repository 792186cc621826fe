// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The order of the hosts as OpenSM's ftree dumps it (opensm-ftree-ca-order.dump), for the order of MPI ranks: LID and
// description of each, leaf by leaf, and a line "0xFFFF DUMMY" for each host that a leaf has less than the fullest.
#pragma once

#include <span>
#include <string>

#include "core/fabric/fabric.h"

namespace espalier {

// `hosts` in their order, those of a leaf one after the other. Without dummies when they come in another order.
[[nodiscard]] std::string write_ca_order(const Fabric& fabric, std::span<const EndportId> hosts);

}  // namespace espalier
