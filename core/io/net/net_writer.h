// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Writes a Fabric as ibsim loads it and as ibnetdiscover would print it, LIDs and rates in the remarks.
//
// read_net(write_net(f)) is f again when port GUIDs are node GUID + port number (else read with
// PortGuids::kAsWritten), no description is empty, longer than 64 bytes or with control characters, no LMC is set
// without a LID, and no switch is without ports. The order is that of the ids, so equal fabrics are equal texts.
//
// An end port without a link has no line that ibsim would load; it goes into the remark of its block:
//   Ca 2 "H-0002c90300000001" # "node1" uncabled [2](2c90300000003) lid 17 lmc 0
#pragma once

#include <string>

#include "core/fabric/fabric.h"

namespace espalier {

[[nodiscard]] std::string write_net(const Fabric& fabric);

}  // namespace espalier
