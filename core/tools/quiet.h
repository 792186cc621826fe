// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// --quiet: nothing on standard error but errors.
#pragma once

#include <string_view>

namespace espalier::tools {

// From now on, of this process.
void be_quiet();
[[nodiscard]] bool is_quiet();

// "espalier: LINE" on standard error, unless quiet: what was done, and how far the work is.
void tell(std::string_view line);

}  // namespace espalier::tools
