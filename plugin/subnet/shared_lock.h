// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's lock, as its readers take it: for threads of ours that look at the subnet outside of a callback.
#pragma once

#include <optional>

#include "plugin/opensm.h"
#include "plugin/thread_priority.h"

namespace espalier {

class SharedLock {
 public:
  // `goes_first`: while it lives the thread has real-time priority. Without that (priority inversion) OpenSM's sweeping thread,
  // which has it, waits with all of OpenSM for a thread that waits behind whoever else is busy.
  explicit SharedLock(osm_opensm_t& osm, bool goes_first = false) : osm_(osm) {
    if (goes_first) priority_.emplace();
    CL_PLOCK_ACQUIRE(&osm_.lock);
  }
  ~SharedLock() { CL_PLOCK_RELEASE(&osm_.lock); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  osm_opensm_t& osm_;
  std::optional<RealtimeThread> priority_;  // ends after the lock
};

}  // namespace espalier
