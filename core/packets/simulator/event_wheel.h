// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Events by the cycle in which they happen: a calendar queue whose days are single cycles (Brown: Calendar Queues,
// CACM 31, 1988), so that adding and taking cost a step each and nothing is ever searched.
//
// A day is a list of chunks of two cache lines. Chunks whose events are taken are filled again first, so that a wheel
// takes as much memory as there are events, and that memory is in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/packets/simulator/large_pages.h"
#include "core/packets/simulator/prefetch.h"

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

  // REQUIRES: cycle is later than the last that was taken, by at most the horizon.
  void add(std::uint32_t cycle, const Event& event) {
    Day& day = days_[cycle & (days_.size() - 1)];
    if (day.last == kNoChunk || chunks_[day.last].count == kEvents) append_chunk(day);
    Chunk& chunk = chunks_[day.last];
    chunk.events[chunk.count++] = event;
  }

  // Moves the events of a cycle to the end of `events`, in the order in which they were added.
  void take(std::uint32_t cycle, std::vector<Event>& events) {
    Day& day = days_[cycle & (days_.size() - 1)];
    for (std::uint32_t c = day.first; c != kNoChunk; c = chunks_[c].next)
      events.insert(events.end(), chunks_[c].events.begin(), chunks_[c].events.begin() + chunks_[c].count);
    if (day.last == kNoChunk) return;
    chunks_[day.last].next = unused_;
    unused_ = day.first;
    day = {};
  }

  // For what add() needs.
  void fetch_day(std::uint32_t cycle) const { prefetch(days_[cycle & (days_.size() - 1)]); }
  void fetch_chunk(std::uint32_t cycle) const {
    const Day& day = days_[cycle & (days_.size() - 1)];
    if (day.last == kNoChunk) return;
    prefetch(chunks_[day.last]);
    prefetch(chunks_[day.last].events.back());
  }

  // All events that are to come, and some that were.
  template <class Function>
  void for_each(const Function& function) const {
    for (const Chunk& chunk : chunks_)
      for (std::uint32_t i = 0; i < chunk.count; ++i) function(chunk.events[i]);
  }

 private:
  static constexpr std::uint32_t kNoChunk = 0xFFFFFFFF;
  static constexpr std::uint32_t kEvents = 120 / sizeof(Event);
  struct Chunk {
    std::uint32_t next = kNoChunk;
    std::uint32_t count = 0;
    std::array<Event, kEvents> events;
  };
  struct Day {
    std::uint32_t first = kNoChunk;
    std::uint32_t last = kNoChunk;
  };

  void append_chunk(Day& day) {
    std::uint32_t c = unused_;
    if (c == kNoChunk) {
      c = static_cast<std::uint32_t>(chunks_.size());
      chunks_.emplace_back();
    } else {
      unused_ = chunks_[c].next;
      chunks_[c].next = kNoChunk;
      chunks_[c].count = 0;
    }
    (day.last == kNoChunk ? day.first : chunks_[day.last].next) = c;
    day.last = c;
  }

  std::vector<Day> days_;
  LargeVector<Chunk> chunks_;
  std::uint32_t unused_ = kNoChunk;
};

}  // namespace espalier::packets
