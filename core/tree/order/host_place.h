// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A port of a switch to which a host is or was cabled. Places are what hosts are numbered by: a host that reboots comes
// back to its place, and the numbers of all others never knew that it was away.
#pragma once

#include <compare>

#include "core/fabric/ids.h"

namespace espalier {

struct HostPlace {
  Guid at = kNoGuid;  // the switch
  PortNum port{};
  auto operator<=>(const HostPlace&) const = default;
};

}  // namespace espalier
