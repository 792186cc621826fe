// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Schedules as binary files that a program maps and uses as they are, and the directory in which epochs follow one
// another.
//
// All numbers little-endian; every field aligned to its size.
//
//   offset  size  field
//        0     8  "ESPSCHED"
//        8     4  version of this layout, 1
//       12     4  size of this header, 64
//       16     8  epoch
//       24     8  size of the file
//       32     8  checksum: FNV-1a, 64 bits, of the file with these eight bytes zero
//       40     4  P, number of phases
//       44     4  lower bound of the phases
//       48     4  N, number of servers, at most 65 535
//       52     1  mode: 0 spine, 1 block, 2 paths
//       53     1  LMC of the servers
//       54    10  zero
//       64   8 N  port GUIDs of the servers, ascending
//     then 4 N P  per server, per phase: destination (2 bytes, its position among the GUIDs, 65 535: rests), DLID (2)
//
// So server i finds its own sends in one piece, from 64 + 8 N + 4 i P on.
//
// A directory holds epoch-NNNNNNNNNNNN.esp, one file per epoch, and the symbolic link `current`, which is replaced in
// one step (rename) after its file is complete. Whoever opens `current` gets one whole epoch, and keeps it while it has
// it open, whatever comes after.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/schedule/schedule.h"

namespace espalier {

inline constexpr std::string_view kScheduleMagic = "ESPSCHED";
// FNV-1a of the text, 64 bits, as if the eight bytes at 32 were zero.
[[nodiscard]] std::uint64_t schedule_checksum(std::string_view file);

// REQUIRES: fewer than 65 536 servers.
[[nodiscard]] std::string write_schedule_file(const Schedule& schedule);

// Errors, with the file's name: anything that is not as above, the checksum included.
[[nodiscard]] Result<Schedule> read_schedule_file(std::string_view content, const std::string& file_name);

// Either form, told apart by the first bytes.
[[nodiscard]] Result<Schedule> read_schedule(std::string_view content, const std::string& file_name);

}  // namespace espalier
