// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// SL2VL tables of switches as OpenSM dumps them with qos TRUE (opensm-sl2vl.dump), the VL of each SL:
//
//   Switch 0x0002c90001000000, base LID 1, "group 0 router 0"
//   #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//   #--------------------------------------------------------
//   0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//
// Blocks of adapters, "Channel Adapter ..." and "Router ...", are passed over.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lane_tables.h"

namespace espalier {

// Pairs of ports that are not in the dump keep VL 0; switches that the fabric lacks are skipped.
// Errors, with file and line: anything but the above, ports that a switch does not have, lanes above 15, a switch
// that is missing.
[[nodiscard]] Result<LaneTables> read_sl2vl_dump(std::string_view text, const std::string& file_name,
                                                 const Fabric& fabric);

}  // namespace espalier
