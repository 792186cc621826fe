// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Another plugin, espalier_pause: when OpenSM has discovered the subnet and before it sends anything, it waits as long
// as the file that ESPALIER_PAUSE names exists (at most a minute). Works for every routing engine. So a script can
// change the fabric at the one moment at which nobody looks.
#include <unistd.h>

#include <cstdlib>

#include "plugin/opensm.h"

namespace {

constexpr int kMostTenths = 600;

void* create(osm_opensm_t* osm) { return osm; }
void destroy(void*) {}

void report(void*, osm_epi_event_id_t event, void*) {
  const char* file = std::getenv("ESPALIER_PAUSE");
  if (event != OSM_EVENT_ID_HEAVY_SWEEP_DONE || file == nullptr) return;
  for (int tenth = 0; tenth < kMostTenths && ::access(file, F_OK) == 0; ++tenth) ::usleep(100'000);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, report};
}
