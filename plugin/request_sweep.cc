// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/request_sweep.h"

#include "plugin/opensm.h"

namespace espalier {

void request_sweep(osm_opensm& osm) {
  if (osm.subn.sm_state != IB_SMINFO_STATE_MASTER) return;
  if (osm.subn.opt.use_ucast_cache != 0) {
    CL_PLOCK_EXCL_ACQUIRE(&osm.lock);
    osm_ucast_cache_invalidate(&osm.sm.ucast_mgr);
    CL_PLOCK_RELEASE(&osm.lock);
  }
  osm.subn.force_heavy_sweep = 1;
  osm_opensm_sweep(&osm);
}

}  // namespace espalier
