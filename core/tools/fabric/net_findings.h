// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is wrong with a file that describes a fabric, as far as the file itself says; for `espalier check`.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric_builder.h"

namespace espalier::tools {

struct NetFindings {
  std::vector<Error> findings;  // in the order of the file
  FabricBuilder builder;        // what can be made of the rest; LIDs are complete and do not overlap
};

// The readers stop at the first contradiction, as they should. This one leaves the line out and reads on, as a compiler
// does (of a block's header, the whole block), and so finds everything:
//   all errors and warnings of the reader: a port used twice, ends that contradict each other, a cable that only one
//   end knows, two nodes with one GUID or id, a line that cannot be read, ...; see net_reader.h;
//   two ends of a cable with different speeds; two nodes with one LID; nodes without a LID where others have one;
//   channel adapters without any cable.
// Errors: text that is no description of a fabric at all, or of which nothing remains.
[[nodiscard]] Result<NetFindings> find_in_text(std::string text, const std::string& file_name);

}  // namespace espalier::tools
