// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace espalier {

// Adds to the end of a file that a service was told to write, and makes it where it is missing (mode 0644). It is
// opened anew each time, so that logrotate may move it. Links and whatever is no regular file are refused.
// Errors: what the system says; nothing has been added then.
[[nodiscard]] Status append_to_file(const std::string& path, std::string_view content);

}  // namespace espalier
