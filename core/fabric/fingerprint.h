// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A number by which a fabric is recognized as the same as before.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace espalier {

// Of GUIDs, LIDs, LMCs, links and their rates; names do not count. Fabrics that differ have the same with a probability of 2^-64.
[[nodiscard]] std::uint64_t fingerprint(const Fabric& fabric);

}  // namespace espalier
