// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Service levels of paths, as the subnet administrator tells them. Two forms, which may be mixed:
//
//   PathRecord dump:                       what `saquery -p` and `saquery --src-to-dst 40:37` print; of each record
//     dlid....................37           only dlid, slid and sl count
//     slid....................40
//     sl......................0x2
//
//   40 37 2                                source LID, destination LID, SL
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lane_tables.h"

namespace espalier {

// Records of LIDs that nobody in the fabric has, and those with LID 0, are skipped.
// Errors, with file and line: a record without one of the three, numbers out of range, no record; a fabric with too
// many pairs.
[[nodiscard]] Result<PairLevels> read_path_records(std::string_view text, const std::string& file_name,
                                                   const Fabric& fabric);

}  // namespace espalier
