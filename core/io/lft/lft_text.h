// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Forwarding tables from a dump alone, when there is no fabric to hold them against: who, LID, port. For comparing two
// dumps; everything else reads with read_lfts() of lft_dump.h, which also checks that the tables fit the fabric.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/ids.h"

namespace espalier {

struct LftRow {
  Guid guid = kNoGuid;         // of the switch
  std::string description;     // of the switch, as OpenSM printed it
  std::vector<PortNum> ports;  // by LID, as far as there are entries; kNoPort between them
};

// The dialects are those of read_lfts(). The rows ascend by GUID.
// Errors, with file and line: two tables of one switch; two entries of one LID in a table; a LID that is not unicast;
// a port above 254; an unfinished table; a line of another kind; no table at all.
[[nodiscard]] Result<std::vector<LftRow>> read_lft_text(std::string_view text, std::string file_name);

}  // namespace espalier
