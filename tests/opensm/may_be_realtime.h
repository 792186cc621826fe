// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Real-time priority takes CAP_SYS_NICE or RLIMIT_RTPRIO.
#pragma once

#include <thread>

#include "plugin/thread_priority.h"

namespace espalier::test {

// Whether this process may have it.
inline bool may_be_realtime() {
  bool may = false;
  std::thread([&] { may = RealtimeThread().is_raised(); }).join();
  return may;
}

}  // namespace espalier::test
