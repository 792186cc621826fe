// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Events by the cycle in which they happen: a calendar queue whose days are single cycles (Brown: Calendar Queues,
// CACM 31, 1988), so that adding and taking cost a step each and nothing is ever searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::packets {

template <class Event>
class EventWheel {
 public:
  // Takes events up to `horizon` cycles ahead.
  explicit EventWheel(std::uint32_t horizon) {
    std::size_t size = 1;
    while (size <= horizon) size *= 2;
    days_.resize(size);
  }

  // REQUIRES: cycle is later than now, by at most the horizon.
  void add(std::uint32_t cycle, const Event& event) { days_[cycle & (days_.size() - 1)].push_back(event); }

  // The events of a cycle; clear() it when they are done, before the wheel comes round. It stays where it is while
  // events of other cycles are added.
  [[nodiscard]] std::vector<Event>& at(std::uint32_t cycle) { return days_[cycle & (days_.size() - 1)]; }

 private:
  std::vector<std::vector<Event>> days_;
};

}  // namespace espalier::packets
