// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whole files in and out. Errors name the file and say what the system said.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace espalier {

[[nodiscard]] Result<std::string> read_file(const std::string& path);

// Writes beside `path` and renames: a reader sees the old content or the new, never a part, and on an error the old
// stays. A link is followed; what is no regular file (a terminal, /dev/stdout, a pipe) is written directly.
[[nodiscard]] Status write_file(const std::string& path, std::string_view content);

// The same for what is too big for one string: `produce` writes to the stream and may refuse.
[[nodiscard]] Status write_file(const std::string& path, const std::function<Status(std::FILE*)>& produce);

}  // namespace espalier
