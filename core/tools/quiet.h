// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// --quiet: no warnings and no progress on standard error. Errors are still told.
#pragma once

namespace espalier::tools {

// From now on, of this process.
void be_quiet();
[[nodiscard]] bool is_quiet();

}  // namespace espalier::tools
