// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How often a thread has waited for the kernel to hand out memory.
#pragma once

#include <sys/resource.h>

namespace espalier::test {

// Of the calling thread until now, served without reading a disk.
inline long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

}  // namespace espalier::test
