// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/prefault.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/base/large_array.h"
#include "tests/opensm/hand_built_subnet.h"
#include "tests/support/page_faults.h"
#include "tests/support/resident_memory.h"

namespace espalier {
namespace {

TEST(FirstRunBytes, AreThoseOfTablesAndPorts) {
  EXPECT_EQ(first_run_bytes({}, 0, 0), 0U);
  constexpr Discovered kSubnet{.switches = 100, .endports = 1800};
  const std::size_t one = first_run_bytes(kSubnet, 3600, 0);
  EXPECT_GT(one, 100U * 1900);
  // With an LMC of 2 every end port has four entries in each switch's table.
  EXPECT_EQ(first_run_bytes(kSubnet, 3600, 2) - one, 100U * 3 * 1800);
}

// Sanitizers have memory of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
template <class Condition>
bool within_a_while(Condition condition) {
  for (int i = 0; i < 100; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// Whether the process takes that much more within a while.
bool grows_by(std::size_t before, std::size_t bytes) {
  return within_a_while([&] { return test::resident_memory() >= before + bytes; });
}

// How often this thread has to wait for the kernel to hand out a page.
long faults_of_filling(std::size_t bytes) {
  const long before = test::page_faults();
  LargeArray<std::uint8_t> array(bytes);
  array.fill_bytes(1);
  return test::page_faults() - before;
}

// 250 switches with a LID each: tables of 62 500 entries, and 256 bytes for each of 250 x 250 ports.
constexpr unsigned kSwitches = 250;
constexpr std::size_t kWanted = 12U << 20;

// Returns what the process has then.
std::size_t discover(test::HandBuiltSubnet& subnet) {
  CL_PLOCK_EXCL_ACQUIRE(&subnet.osm().lock);
  for (unsigned i = 1; i <= kSwitches; ++i)
    subnet.add_switch(i, ("switch " + std::to_string(i)).c_str(), 250, static_cast<std::uint16_t>(i));
  const std::size_t taken = test::resident_memory();
  CL_PLOCK_RELEASE(&subnet.osm().lock);
  return taken;
}

TEST(Prefault, MemoryIsThereOnceNothingNewIsFound) {
  test::HandBuiltSubnet subnet(512);
  cl_plock_init(&subnet.osm().lock);
  const std::size_t at_first = test::resident_memory();
  const Prefault prefault(subnet.osm());
  EXPECT_FALSE(grows_by(at_first, kWanted)) << "nothing has been discovered";
  ASSERT_TRUE(grows_by(discover(subnet), kWanted - Prefault::kAtOnce));

  // Soon: it may be at its last pages still.
  EXPECT_TRUE(within_a_while([] { return faults_of_filling(kWanted) <= 2; })) << "the memory was not there";
}

TEST(Prefault, NothingIsDoneWhenTheRunHasBegun) {
  test::HandBuiltSubnet subnet(512);
  cl_plock_init(&subnet.osm().lock);
  Prefault prefault(subnet.osm());
  prefault.stop();
  prefault.wait();
  EXPECT_FALSE(grows_by(discover(subnet), kWanted));
}
#endif

}  // namespace
}  // namespace espalier
