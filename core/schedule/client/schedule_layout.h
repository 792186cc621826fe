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
//
// Needs nothing but the standard library: the library that applications link (espalier_schedule.h) has no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace espalier::layout {

inline constexpr std::string_view kMagic = "ESPSCHED";
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kHeaderSize = 64;
inline constexpr std::uint32_t kRests = 0xFFFF;
inline constexpr std::string_view kCurrent = "current";
inline constexpr std::string_view kPrefix = "epoch-";
inline constexpr std::string_view kSuffix = ".esp";
inline constexpr int kEpochDigits = 12;
inline constexpr std::uint64_t kMaxEpoch = 999'999'999'999;  // what the digits hold

// Where the header's fields are.
enum Offset : std::size_t {
  kVersionAt = 8,
  kHeaderSizeAt = 12,
  kEpochAt = 16,
  kFileSizeAt = 24,
  kChecksumAt = 32,
  kPhasesAt = 40,
  kBoundAt = 44,
  kServersAt = 48,
  kModeAt = 52,
  kLmcAt = 53,
};

// REQUIRES: at + sizeof(Number) <= file.size().
template <class Number>
[[nodiscard]] Number get(std::string_view file, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
  return static_cast<Number>(value);
}

// FNV-1a of the text, 64 bits, as if the eight bytes at 32 were zero.
[[nodiscard]] std::uint64_t checksum(std::string_view file);

// Half a sentence about the first thing that is not as above, the checksum included. Empty: nothing.
[[nodiscard]] std::string_view fault_of(std::string_view file);

// The number in "epoch-000000000042.esp", twelve digits; 0 for any other text (epochs count from 1).
[[nodiscard]] std::uint64_t epoch_of_file_name(std::string_view name);

}  // namespace espalier::layout
