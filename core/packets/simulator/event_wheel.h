// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Events by the cycle in which they happen: a calendar queue whose days are single cycles (Brown: Calendar Queues,
// CACM 31, 1988), so that adding and taking cost a step each and nothing is ever searched.
//
// A day is a list of chunks of two cache lines. Chunks whose events are taken are filled again first, so that a wheel
// takes as much memory as there are events, and that memory is in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/large_array.h"
#include "core/packets/simulator/prefetch.h"

namespace espalier::packets {

// Events of a cycle, one after the other.
template <class Event>
class EventList {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Event& operator[](std::size_t i) const { return events_[i]; }
  [[nodiscard]] const Event* begin() const { return events_.data(); }
  [[nodiscard]] const Event* end() const { return events_.data() + size_; }
  void clear() { size_ = 0; }
  // The first `count` of this array, of which all are copied: a copy of known length takes no loop.
  template <std::size_t kLength>
  void add(const Event* array, std::size_t count) {
    if (size_ + kLength > events_.size()) events_.resize(2 * (size_ + kLength));
    std::memcpy(events_.data() + size_, array, kLength * sizeof(Event));
    size_ += count;
  }

 private:
  LargeVector<Event> events_;
  std::size_t size_ = 0;
};

template <class Event>
class EventWheel {
 public:
  // Takes events up to `horizon` cycles ahead.
  explicit EventWheel(std::uint32_t horizon)
      : days_(std::bit_ceil(horizon + 1)), last_day_(std::bit_ceil(horizon + 1) - 1) {}

  // REQUIRES: cycle is later than the last that was taken, by at most the horizon.
  void add(std::uint32_t cycle, const Event& event) {
    Day& day = days_[cycle & last_day_];
    if (day.end % kEvents == 0) append_chunk(day);
    events_[day.end++] = event;
  }

  // Moves the events of a cycle to the end of `events`, in the order in which they were added.
  void take(std::uint32_t cycle, EventList<Event>& events) {
    Day& day = days_[cycle & last_day_];
    if (day.end == 0) return;
    const std::uint32_t last = (day.end - 1) / kEvents;
    for (std::uint32_t c = day.first; c != last; c = next_[c])
      events.template add<kEvents>(&events_[std::size_t{c} * kEvents], kEvents);
    events.template add<kEvents>(&events_[std::size_t{last} * kEvents], day.end - last * kEvents);
    next_[last] = unused_;
    unused_ = day.first;
    day = {};
  }

  // For what add() needs.
  void fetch_day(std::uint32_t cycle) const { prefetch(days_[cycle & last_day_]); }
  void fetch_chunk(std::uint32_t cycle) const { prefetch(events_.data()[days_[cycle & last_day_].end]); }

  // All events that are to come, and some that were.
  template <class Function>
  void for_each(const Function& function) const {
    for (const Event& event : events_) function(event);
  }

 private:
  static constexpr std::uint32_t kNoChunk = 0xFFFFFFFF;
  static constexpr std::uint32_t kEvents = 128 / sizeof(Event);  // of a chunk
  struct Day {
    std::uint32_t first = kNoChunk;  // chunk
    std::uint32_t end = 0;           // place of the next event; 0 or at the end of a chunk: there is no room for it
  };

  // Seldom, and not where events are added: what each hop does stays short.
  [[gnu::noinline]] void append_chunk(Day& day) {
    std::uint32_t c = unused_;
    if (c == kNoChunk) {
      c = static_cast<std::uint32_t>(next_.size());
      next_.push_back(kNoChunk);
      events_.resize(events_.size() + kEvents);
    } else {
      unused_ = next_[c];
    }
    (day.end == 0 ? day.first : next_[day.end / kEvents - 1]) = c;
    day.end = c * kEvents;
  }

  std::vector<Day> days_;
  std::uint32_t last_day_;
  LargeVector<Event> events_;        // by chunk
  std::vector<std::uint32_t> next_;  // of each chunk
  std::uint32_t unused_ = kNoChunk;
};

}  // namespace espalier::packets
