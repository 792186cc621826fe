// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The numbers by which hosts choose paths (core/fabric/choices/source_offsets.h), for hosts that look each other up.
//
//   0x0002c90100000011 1/2 0/2  # host 1
//
// A line for each host: its port GUID, digit/radix from the leaves up, and as a remark its description. Without LMC no
// digits. To send from a to b, a adds to the base LID of b the sum of (digit of a - digit of b) mod radix, each times
// the radices before it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/choices/source_offsets.h"
#include "core/fabric/fabric.h"

namespace espalier {

[[nodiscard]] std::string write_source_offsets(const Fabric& fabric, const SourceOffsets& offsets);

// Of the end ports of `fabric`; 0 for those that the file does not name; GUIDs that the fabric lacks are skipped.
// Errors, with file and line: no GUID, what is no digit/radix, a digit that is not below its radix, other radices than
// in the first line, more than 128 offsets.
[[nodiscard]] Result<SourceOffsets> read_source_offsets(std::string_view text, const std::string& file_name,
                                                        const Fabric& fabric);

}  // namespace espalier
