// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Memory that this process has in use at this moment.
#pragma once

#include <cstddef>
#include <fstream>

namespace espalier::test {

// In bytes, whole pages of 4 KiB.
inline std::size_t resident_memory() {
  std::ifstream status("/proc/self/statm");
  std::size_t all = 0, pages = 0;
  status >> all >> pages;
  return pages * 4096;
}

}  // namespace espalier::test
