// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's lock, as its readers take it: for threads of ours that look at the subnet outside of a callback.
#pragma once

#include "plugin/opensm.h"

namespace espalier {

class SharedLock {
 public:
  explicit SharedLock(osm_opensm_t& osm) : osm_(osm) { CL_PLOCK_ACQUIRE(&osm_.lock); }
  ~SharedLock() { CL_PLOCK_RELEASE(&osm_.lock); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  osm_opensm_t& osm_;
};

}  // namespace espalier
