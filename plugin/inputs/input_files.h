// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The files that a run reads beside the configuration: OpenSM's lists of GUIDs, types and orders of hosts.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/io/file.h"

namespace espalier {

class InputFiles {
 public:
  // Errors: the file cannot be read.
  [[nodiscard]] Result<std::string> read(const std::string& path) {
    ESPALIER_TRY(std::string text, read_file(path));
    note(fnv1a(text));
    return text;
  }
  // The version of what somebody else has read.
  void note(std::uint64_t version) { version_ = mix(version_, version); }

  // Changes when what was read does, not when hosts come and go. 0: nothing was read.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::uint64_t version_ = 0;
};

}  // namespace espalier
