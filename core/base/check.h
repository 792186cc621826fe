// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A broken invariant of ours throws: never abort() in somebody else's process. The plugin catches it at the C boundary.
#pragma once

#include <stdexcept>

namespace espalier {

// REQUIRES nothing; throws std::logic_error with `what` unless `condition` holds.
inline void check(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

}  // namespace espalier
