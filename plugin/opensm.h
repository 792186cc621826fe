// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The only door to OpenSM's C headers.
//
// They are no C++: osm_event_plugin_t has a member called `delete`, which is `delete_` here. What they include of the
// C library comes first, outside the macro and the extern "C". Layouts depend on osm_config.h, which OpenSM installs
// with the values it was built with, but which only some of its headers include: it comes before all of them.
// layout_matches() proves on the live objects that our idea of them is OpenSM's.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define delete delete_
extern "C" {
#include <opensm/osm_config.h>
// after osm_config.h
#include <opensm/osm_db_pack.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_mcm_port.h>
#include <opensm/osm_multicast.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_partition.h>
#include <opensm/osm_port.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_ucast_cache.h>
#include <opensm/osm_version.h>
}
#undef delete

namespace espalier {

// An option of OpenSM that is text.
[[nodiscard]] inline bool is_set(const char* option) { return option != nullptr && *option != '\0'; }

// OpenSM's objects point at each other. If every pointer that we can predict is where our headers say, all structures
// in front of them have the size we think: osm_subn_t with its options, osm_sm_t, osm_sa_t, osm_log_t, the lock.
[[nodiscard]] inline bool layout_matches(const osm_opensm_t& osm) {
  return osm.subn.p_osm == &osm && osm.sm.p_subn == &osm.subn && osm.sm.p_log == &osm.log &&
         osm.sm.p_lock == &osm.lock && osm.sa.p_subn == &osm.subn && osm.sa.p_log == &osm.log &&
         osm.sm.ucast_mgr.p_subn == &osm.subn && osm.sm.ucast_mgr.sm == &osm.sm && osm.sa.sm == &osm.sm;
}

}  // namespace espalier
