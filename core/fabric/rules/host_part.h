// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts that are numbered among themselves: a rail, or the hosts of a file or partition, in their order.
#pragma once

#include <string>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

struct HostPart {
  std::string name;
  double weight = 1;  // how much its traffic counts beside that of other parts
  std::vector<EndportId> hosts;
};

}  // namespace espalier
