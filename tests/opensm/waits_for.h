// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Waits for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace espalier::test {

// Whether it is so within a minute.
template <class Condition>
[[nodiscard]] bool waits_for(const Condition& is_so) {
  for (int i = 0; i < 6000 && !is_so(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_so();
}

}  // namespace espalier::test
