// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Another plugin, espalier_pause: when OpenSM has discovered the subnet and before it sends anything, it waits as long
// as the file that ESPALIER_PAUSE names exists (at most a minute). Works for every routing engine. So a script can
// change the fabric at the one moment at which nobody looks.
// To the file that ESPALIER_POLICIES names it writes, at each event of a sweep and after each pause, the scheduling policy of
// the thread (sched.h): "discovered 2".
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "plugin/opensm.h"

namespace {

constexpr int kMostTenths = 600;

void* create(osm_opensm_t* osm) { return osm; }
void destroy(void*) {}

void write_policy(const char* what) {
  if (const char* file = std::getenv("ESPALIER_POLICIES"); file != nullptr)
    std::ofstream(file, std::ios::app) << what << ' ' << (::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) << std::endl;
}

void pause() {
  const char* file = std::getenv("ESPALIER_PAUSE");
  if (file == nullptr || ::access(file, F_OK) != 0) return;
  for (int tenth = 0; tenth < kMostTenths && ::access(file, F_OK) == 0; ++tenth) ::usleep(100'000);
  write_policy("paused");
}

void report(void*, osm_epi_event_id_t event, void*) {
  if (event == OSM_EVENT_ID_HEAVY_SWEEP_START) write_policy("begun");
  if (event == OSM_EVENT_ID_UCAST_ROUTING_DONE) write_policy("routed");
  if (event != OSM_EVENT_ID_HEAVY_SWEEP_DONE) return;
  write_policy("discovered");
  pause();
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, report};
}
