// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A Reference as a file. All numbers little-endian, no padding.
//
//   offset  size  field
//        0     8  "ESPREFER"
//        8     4  version of this layout: 2, or 3 with lanes
//       12     4  zero
//       16     8  size of the file, at most kMaxReferenceSize
//       24     8  CRC-64 (ECMA-182) of everything behind the header
//       32        engine: length (1 byte), text
//                 S = number of switches (4), E = number of end ports (4), C = number of links (4),
//                 W = entries of a row (4), H = number of hosts that are numbered (4)
//                 per switch, by ascending GUID: GUID (8), LID (2), LMC (1), ports (1), enhanced port 0 (1), table
//                 capacity (4), level (1), position (4), description: length (1), text
//                 per end port, by ascending (node GUID, port): node GUID (8), port GUID (8), LID (2), LMC (1),
//                 port (1), router (1), description: length (1), text
//                 per link: switch (4), its port (1), other switch or S + end port (4), its port (1), width (1),
//                 speed (1)
//                 per such host, as jobs number them: end port (4)
//                 S rows of W ports
//                 version 3: lanes (file/lanes_section.h)
//
// Version 1, which is read as well, has no H and numbers no hosts. A reference without lanes is written as version 2, for
// programs that do not know the third.
//
// The file is read as if an enemy had written it: every count is checked against the bytes that are there before
// anything is allocated, and what it describes has to be a Fabric.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/repair/reference/reference.h"

namespace espalier {

inline constexpr std::uint64_t kMaxReferenceSize = std::uint64_t{4} << 30;

[[nodiscard]] std::string write_reference(const Reference& reference);

// Errors, each with the file's name: no reference, another version, a size or checksum that differs, anything in it
// that no Reference holds.
[[nodiscard]] Result<Reference> read_reference(std::string_view content, const std::string& file_name);

// The checksum that write_reference() puts into the header; for tests.
[[nodiscard]] std::uint64_t reference_checksum(std::string_view file);

}  // namespace espalier
