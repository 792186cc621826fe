// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A list as a set: ascending, each element once.
#pragma once

#include <algorithm>
#include <vector>

namespace espalier {

template <class T>
void sort_unique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace espalier
