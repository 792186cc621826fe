// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/idle_phases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

void drop_idle_phases(Schedule& schedule) {
  std::vector<char> is_used(schedule.phases, 0);
  for (std::size_t i = 0; i < schedule.sends.size(); ++i)
    if (schedule.sends[i].destination != Send::kIdle) is_used[i % schedule.phases] = 1;
  std::size_t kept = 0;  // of sends
  for (std::size_t i = 0; i < schedule.sends.size(); ++i)
    if (is_used[i % schedule.phases] != 0) schedule.sends[kept++] = schedule.sends[i];
  schedule.sends.resize(kept);
  schedule.phases = static_cast<std::uint32_t>(std::count(is_used.begin(), is_used.end(), 1));
}

}  // namespace espalier
