// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which hosts take part, and their ranks.
#pragma once

#include <string>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier::tools {

// "topological": along the leaves of the tree; "lid": ascending; else a file of port GUIDs, one in a line, each in the
// fabric and only once. Or Refused.
[[nodiscard]] std::vector<EndportId> ordered_hosts(const Fabric& fabric, const std::string& order);

}  // namespace espalier::tools
