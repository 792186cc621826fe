// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <sys/resource.h>

namespace espalier {

// OpenSM's threads and everybody else go first.
inline void lower_priority_of_this_thread() {
  constexpr int kLowestPriority = 19;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLowestPriority));  // on Linux: of the thread, not the process
}

}  // namespace espalier
