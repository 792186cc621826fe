/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* libespalier_schedule: which of a destination's LIDs a host that stripes should use, and for what part of its traffic.
 *
 * The files are those of `espalier route --lid-choices`, `espalier throughput --weights` and lid_choices_file of
 * espalier.conf: weights over LID offsets, by pairs of port GUIDs or by classes of them.
 *
 *   espalier_choices *c;
 *   char why[1000];
 *   if (espalier_choices_open(path, &c, why, sizeof why) != ESPALIER_OK) ...          print `why`
 *   for (n = 0; ...; ++n)                                                             per message, or per connection
 *     dlid = base_lid_of_peer + espalier_choices_offset(c, my_port_guid, peer_port_guid, n);
 *
 * Order is kept within a queue pair, and a queue pair has one DLID: a program that stripes opens one for each offset of
 * espalier_choices_shares(). The service level that goes with a DLID is that of its path record. A file is for the
 * tables that were written with it; open it again after the fabric was routed anew.
 *
 * Nothing here prints, exits, or starts threads. One espalier_choices may be used by many threads at once, as long as
 * none closes it. */
#ifndef ESPALIER_CHOICES_H
#define ESPALIER_CHOICES_H

#include <espalier_schedule.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct espalier_choices espalier_choices;

/* One of the offsets that a source should use for a destination. */
typedef struct espalier_share {
  uint32_t offset; /* 0 to 127: to be added to the destination's base LID; below 2^LMC in a file made for its fabric */
  double share;    /* part of the traffic, 0 to 1, by any one measure (messages, bytes) */
} espalier_share;

/* Reads a whole file and keeps nothing of it open. On failure *choices is NULL:
 *   ESPALIER_NO_FILE   it cannot be opened or read; errno says more
 *   ESPALIER_DAMAGED   no regular file, larger than 256 MiB, or not of this format
 *   ESPALIER_SYSTEM    no memory
 * and `message`, unless it is NULL, has one line without an end: FILE:LINE, what is wrong and what to do, cut off after
 * `size` - 1 bytes. On success it is empty. */
ESPALIER_SCHEDULE_API espalier_status espalier_choices_open(const char* path, espalier_choices** choices, char* message,
                                                            size_t size);
/* NULL is allowed. */
ESPALIER_SCHEDULE_API void espalier_choices_close(espalier_choices* choices);

/* The offsets for a pair of port GUIDs (host byte order), each once, in the order of the file; *count is how many, at
 * least 1, and their shares sum to 1. What the file does not name uses offset 0 alone, or, in a file with classes, what
 * class 0 uses; so a GUID that is not in the fabric gets an answer, too. Do not free: it lives until the close. */
ESPALIER_SCHEDULE_API const espalier_share* espalier_choices_shares(const espalier_choices* choices, uint64_t source,
                                                                    uint64_t destination, uint32_t* count);

/* The offset for the n-th message of a pair, n = 0, 1, 2, ...: a function of its arguments and the file alone. Of the
 * messages k 2^m to (k + 1) 2^m - 1, for any k and m, each offset gets its share rounded up or down: with equal shares
 * of 4 offsets, any four messages from a multiple of 4 on take all of them. Pairs begin at different places, so hosts
 * that start together do not all use one offset first. */
ESPALIER_SCHEDULE_API uint32_t espalier_choices_offset(const espalier_choices* choices, uint64_t source,
                                                       uint64_t destination, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
