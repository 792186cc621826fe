/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* A C program's way through the library, for the tests in C++. */
#ifndef ESPALIER_TESTS_FOLLOW_SCHEDULE_H
#define ESPALIER_TESTS_FOLLOW_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes "epoch 3: >1/4 <2, -  <1, ..." into text: per phase to whom / under which LID, from whom; "-" for a rest.
 * Returns the status of the library as a number; 100 when the GUID takes no part, 101 when text is too small. */
int follow_schedule(const char* directory, uint64_t port_guid, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
