// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How often the kernel has handed out memory.
#pragma once

#include <sys/resource.h>

namespace espalier::test {

// Until now, served without reading a disk; of the calling thread, or with RUSAGE_SELF of the process.
inline long page_faults(int who = RUSAGE_THREAD) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage.ru_minflt;
}

}  // namespace espalier::test
