// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/shared_lock.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

TEST(SharedLock, IsHeldWithRealtimePriorityWhereAsked) {
  test::HandBuiltSubnet subnet;
  std::thread([&] {
    const bool may = RealtimeThread().is_raised();
    {
      const SharedLock lock(subnet.osm(), true);
      EXPECT_EQ(is_realtime(0), may);
    }
    EXPECT_FALSE(is_realtime(0));
    const SharedLock lock(subnet.osm());
    EXPECT_FALSE(is_realtime(0));
  }).join();
}

}  // namespace
}  // namespace espalier
