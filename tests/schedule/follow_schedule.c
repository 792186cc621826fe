/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "tests/schedule/follow_schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/schedule/client/espalier_schedule.h"

static int describe(const espalier_schedule* schedule, uint64_t port_guid, char* text, size_t size) {
  const uint32_t me = espalier_schedule_find(schedule, port_guid);
  if (me == espalier_schedule_servers(schedule)) return 100;
  const uint32_t phases = espalier_schedule_phases(schedule);
  const espalier_send* send = espalier_schedule_sends(schedule, me);
  uint16_t* source = malloc((phases + 1) * sizeof(uint16_t));
  espalier_schedule_sources(schedule, me, source);
  int used = snprintf(text, size, "epoch %" PRIu64 ":", espalier_schedule_epoch(schedule));
  for (uint32_t p = 0; p < phases && used > 0 && (size_t)used < size; ++p) {
    if (send[p].peer == ESPALIER_RESTS)
      used += snprintf(text + used, size - (size_t)used, " -");
    else
      used += snprintf(text + used, size - (size_t)used, " >%u/%u", (unsigned)send[p].peer, (unsigned)send[p].dlid);
    if ((size_t)used < size && source[p] != ESPALIER_RESTS)
      used += snprintf(text + used, size - (size_t)used, "<%u", (unsigned)source[p]);
  }
  free(source);
  return (size_t)used < size ? ESPALIER_OK : 101;
}

int follow_schedule(const char* directory, uint64_t port_guid, char* text, size_t size) {
  espalier_schedule* schedule = NULL;
  const espalier_status status = espalier_schedule_open(directory, 0, &schedule);
  if (status != ESPALIER_OK) return (int)status;
  const int result = describe(schedule, port_guid, text, size);
  espalier_schedule_close(schedule);
  return result;
}
