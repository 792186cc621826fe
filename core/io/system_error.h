// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The error of a system call, from errno: "PATH: cannot open: Permission denied".
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/result.h"

namespace espalier {

[[nodiscard]] inline tl::unexpected<Error> system_error(const char* what, const std::string& path,
                                                        const char* advice = "") {
  return fail_at(path, 0, fmt::format("cannot {}: {}", what, std::strerror(errno)), advice);
}

}  // namespace espalier
