// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From what libibnetdisc found to a LiveSubnet: no packet is sent here.
//
// libibnetdisc goes on when a question stays without an answer and leaves a hole where the answer would be: a port
// that is missing from its node, a port that is up and has no neighbor, a record of zeros. Each hole becomes a
// warning, and where a link may be behind it a SilentPort.
#pragma once

#include <infiniband/ibnetdisc.h>

#include "core/base/result.h"
#include "core/live/live_subnet.h"

namespace espalier::live {

// Errors: those of FabricBuilder::build.
[[nodiscard]] Result<LiveSubnet> subnet_of(const ibnd_fabric_t& discovered);

}  // namespace espalier::live
