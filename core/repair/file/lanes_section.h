// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes (core/fabric/lanes.h) as the last section of a file of a Reference (reference_file.h).
//
//   service levels: number of source classes (4), number of destination classes (4)
//                   per LID of a row of the tables: source class (4), destination class (4)
//                   SLs by [source class][destination class], packed
//   lane maps:      number of maps (4)
//                   per map: classes of ports (2), VLs by [class of in][class of out][SL], packed
//                   per switch: its map (4), class of each port from 0 on (1)
//
// Packed: two numbers in a byte, the first in the lower half; after an odd number of them the upper half is 0. So no SL
// exceeds 15 and no VL exceeds kDiscardVl, whatever the bytes are.
#pragma once

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "core/repair/file/reference_bytes.h"

namespace espalier {

void put_lanes(ReferenceWriter& out, const Fabric& fabric, const Lanes& lanes);

// Takes all that is left of `in`. The message of an error is half a sentence about the first thing that is wrong.
[[nodiscard]] Result<Lanes> take_lanes(ReferenceReader& in, const Fabric& fabric);

}  // namespace espalier
