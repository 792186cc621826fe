// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/simulator/event_wheel.h"

#include <gtest/gtest.h>

#include <vector>

namespace espalier::packets {
namespace {

std::vector<std::uint32_t> taken(EventWheel<std::uint32_t>& wheel, std::uint32_t cycle) {
  EventList<std::uint32_t> events;
  wheel.take(cycle, events);
  return {events.begin(), events.end()};
}

// Days of no event, of one, and of as many as fill several chunks to the last place, in two rounds over the same memory.
TEST(EventWheel, GivesBackEachDayInTheOrderOfAdding) {
  EventWheel<std::uint32_t> wheel(5);
  const std::vector<std::uint32_t> lengths = {0, 1, 31, 32, 33, 64, 0, 100, 32, 7, 65, 1};
  for (std::uint32_t day = 0; day < lengths.size(); day += 4) {
    for (std::uint32_t i = 0; i < 100; ++i)
      for (std::uint32_t d = day; d < day + 4; ++d)
        if (i < lengths[d]) wheel.add(d, 1000 * d + i);
    for (std::uint32_t d = day; d < day + 4; ++d) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < lengths[d]; ++i) expected.push_back(1000 * d + i);
      EXPECT_EQ(taken(wheel, d), expected) << d;
    }
  }
}

}  // namespace
}  // namespace espalier::packets
