/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* libespalier_schedule: how an application follows the schedules that the subnet manager publishes.
 *
 * A directory (schedule_directory of espalier.conf) holds one file per epoch; an epoch is one schedule of an exchange
 * in which no link carries two flows. When a link fails, the subnet manager writes new tables and the next epoch.
 * Files of the last 16 epochs stay, and an epoch that is open stays usable whatever becomes of its file.
 *
 *   uint64_t epoch;
 *   espalier_schedule *s;
 *   espalier_schedule_newest(dir, &epoch);            each rank looks, which costs one readlink;
 *   epoch = minimum over all ranks;                   MPI_Allreduce: every rank can open that one
 *   espalier_schedule_open(dir, epoch, &s);
 *   me = espalier_schedule_find(s, my_port_guid);
 *   const espalier_send *send = espalier_schedule_sends(s, me);
 *   for (p = 0; p < espalier_schedule_phases(s); ++p)
 *     if (send[p].peer != ESPALIER_RESTS) ...         send to server send[p].peer under LID send[p].dlid
 *
 * Between two exchanges, or between two phases, look again; when the agreed epoch is another one, open it. The old
 * epoch's DLIDs keep delivering, so nothing is lost while ranks still use it; only its links may be shared by then.
 *
 * Nothing here prints, exits, or starts threads. Different schedules may be used by different threads; one schedule, by
 * many at once, as long as none closes it. Little-endian machines only. */
#ifndef ESPALIER_SCHEDULE_H
#define ESPALIER_SCHEDULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ESPALIER_SCHEDULE_API __attribute__((visibility("default")))

typedef struct espalier_schedule espalier_schedule;

enum { ESPALIER_RESTS = 0xFFFF };

/* What a server does in a phase. */
typedef struct espalier_send {
  uint16_t peer; /* number of the destination among the servers, from 0; ESPALIER_RESTS: sends nothing */
  uint16_t dlid; /* destination LID to put into the address vector; means nothing to one that rests */
} espalier_send;

typedef enum espalier_status {
  ESPALIER_OK = 0,
  ESPALIER_NO_EPOCH = 1, /* the directory has no `current`, or none that looks like ours */
  ESPALIER_NO_FILE = 2,  /* the epoch's file cannot be opened: too old, or no permission; errno says more */
  ESPALIER_DAMAGED = 3,  /* the file is no whole schedule: checksum, size, contents */
  ESPALIER_SYSTEM = 4,   /* no memory, path too long; errno says more */
} espalier_status;

/* A sentence without a full stop, for logs. Any number is accepted. */
ESPALIER_SCHEDULE_API const char* espalier_schedule_message(espalier_status status);

/* The number of the newest epoch, from 1. Sets *epoch to 0 on failure, so that a minimum over ranks shows it. */
ESPALIER_SCHEDULE_API espalier_status espalier_schedule_newest(const char* directory, uint64_t* epoch);

/* Maps an epoch; 0 is the newest. The whole file is checked first. On failure *schedule is NULL. */
ESPALIER_SCHEDULE_API espalier_status espalier_schedule_open(const char* directory, uint64_t epoch,
                                                             espalier_schedule** schedule);
/* NULL is allowed. */
ESPALIER_SCHEDULE_API void espalier_schedule_close(espalier_schedule* schedule);

ESPALIER_SCHEDULE_API uint64_t espalier_schedule_epoch(const espalier_schedule* schedule);
ESPALIER_SCHEDULE_API uint32_t espalier_schedule_phases(const espalier_schedule* schedule);
/* No schedule of this exchange has fewer phases. */
ESPALIER_SCHEDULE_API uint32_t espalier_schedule_bound(const espalier_schedule* schedule);
ESPALIER_SCHEDULE_API uint32_t espalier_schedule_servers(const espalier_schedule* schedule);
/* Of the servers: each has 2^lmc LIDs. */
ESPALIER_SCHEDULE_API uint32_t espalier_schedule_lmc(const espalier_schedule* schedule);

/* Port GUID of a server, host byte order. Servers are numbered by ascending GUID. 0 when there is no such server. */
ESPALIER_SCHEDULE_API uint64_t espalier_schedule_guid(const espalier_schedule* schedule, uint32_t server);
/* The server with this port GUID; espalier_schedule_servers() when it takes no part. */
ESPALIER_SCHEDULE_API uint32_t espalier_schedule_find(const espalier_schedule* schedule, uint64_t port_guid);

/* espalier_schedule_phases() sends of one server, in the mapped file: nothing is copied, do not free. NULL when there
 * is no such server. */
ESPALIER_SCHEDULE_API const espalier_send* espalier_schedule_sends(const espalier_schedule* schedule, uint32_t server);

/* Fills sources[phase] with who sends to this server then, ESPALIER_RESTS where nobody does. Looks at the whole
 * schedule: once per epoch, not once per phase. REQUIRES: room for espalier_schedule_phases() numbers. */
ESPALIER_SCHEDULE_API void espalier_schedule_sources(const espalier_schedule* schedule, uint32_t server,
                                                     uint16_t* sources);

#ifdef __cplusplus
}
#endif

#endif
