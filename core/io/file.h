// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whole files in and out, the one way for everybody. Errors name the file and say what the system said.
//
// A file may have been put there by somebody else than the person who named it: the rules that keep a hostile one from
// stopping or misleading the subnet manager are in docs/security.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace espalier {

// What a reader takes, and how much of it.
struct ReadLimits {
  enum class Kinds : std::uint8_t {
    kRegularFiles,          // anything else is refused, without waiting for it: a FIFO would wait for its writer
    kAlsoPipesAndTerminals  // what a person at a prompt names: /dev/stdin, <(ibnetdiscover)
  };
  Kinds kinds = Kinds::kRegularFiles;
  std::uint64_t bytes = 0;
};

// For what a service was told to read: options and lists of nodes. 49 151 LIDs, a line of 512 bytes for each.
inline constexpr ReadLimits kForService{ReadLimits::Kinds::kRegularFiles, std::uint64_t{24} << 20};
// For what a person named: forwarding tables of the largest subnet take some gigabytes as text.
inline constexpr ReadLimits kForPerson{ReadLimits::Kinds::kAlsoPipesAndTerminals, std::uint64_t{16} << 30};

// Errors: what the system says; not of these kinds; larger than the limit.
[[nodiscard]] Result<std::string> read_file(const std::string& path, const ReadLimits& limits = kForService);

// The same from a descriptor, which is not closed. `path` is only for messages.
[[nodiscard]] Result<std::string> read_open_file(int descriptor, const std::string& path, const ReadLimits& limits);

enum class WriteTo : std::uint8_t {
  kAnything,     // what a person named: a link is followed; a terminal, a pipe or a device is written directly
  kRegularFile,  // what a service was told to write: a link or anything else that is no regular file is refused
};

// Writes a file without a name and renames it: a reader sees the old content or the new, never a part; on an error the
// old stays, and nothing is left behind (new_file.h).
[[nodiscard]] Status write_file(const std::string& path, std::string_view content, WriteTo to = WriteTo::kAnything);

// The same for what is too big for one string: `produce` writes to the stream and may refuse.
[[nodiscard]] Status write_file(const std::string& path, const std::function<Status(std::FILE*)>& produce,
                                WriteTo to = WriteTo::kAnything);

}  // namespace espalier
