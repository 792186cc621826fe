// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/thread_priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

#include "core/base/parallel.h"
#include "tests/opensm/may_be_realtime.h"

namespace espalier {
namespace {

using test::may_be_realtime;

int policy() { return ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }

TEST(ThreadPriority, IsRealtimeForTheRunAlone) {
  const int before = policy();
  {
    const RealtimeThread raised;
    EXPECT_EQ(policy(), may_be_realtime() ? SCHED_RR : before);
    int of_new_thread = -1;
    std::thread([&] { of_new_thread = policy(); }).join();
    EXPECT_EQ(of_new_thread, SCHED_OTHER);
  }
  EXPECT_EQ(policy(), before);
}

TEST(ThreadPriority, StaysWhatAnAdministratorChose) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_BATCH, &none), 0);
    const RealtimeThread raised;
    EXPECT_EQ(policy(), SCHED_BATCH);
  }).join();
}

TEST(ThreadPriority, OfAnotherThreadIsNotThatOfItsThreads) {
  const int raised = may_be_realtime() ? SCHED_RR : SCHED_OTHER;
  std::atomic<bool> is_raised = false;
  std::thread thread([&] {
    while (!is_raised) std::this_thread::yield();
    EXPECT_EQ(policy(), raised);
    std::thread([] { EXPECT_EQ(policy(), SCHED_OTHER); }).join();
    lower_this_thread();
    EXPECT_EQ(policy(), SCHED_OTHER);
  });
  raise_thread(thread.native_handle());
  is_raised = true;
  thread.join();
}

// As under chrt -b: what its threads have is what OpenSM was started with.
TEST(ThreadPriority, OfAnotherThreadStaysWhatAnAdministratorChose) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_BATCH, &none), 0);
    std::atomic<bool> is_asked = false;
    std::thread thread([&] {
      while (!is_asked) std::this_thread::yield();
      EXPECT_EQ(policy(), SCHED_BATCH);
    });
    raise_thread(thread.native_handle());
    is_asked = true;
    thread.join();
  }).join();
}

#if !defined(__SANITIZE_THREAD__)  // with which loops have threads of their own: it cannot see what TBB does
// Of the worker of an arena of two threads, with a run's priority or without, when it has done something.
int policy_of_worker(
    bool are_realtime, const std::function<void()>& first = [] {}) {
  constexpr int kThreads = 2;
  const tbb::global_control enough(tbb::global_control::max_allowed_parallelism, kThreads);
  tbb::task_arena arena(kThreads);
  const RealtimeWorkers workers(arena, are_realtime);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> of_worker = -1;
  std::atomic<int> num_inside = 0;
  arena.execute([&] {
    parallel_for(kThreads, [&](std::size_t) {
      ++num_inside;
      while (num_inside < kThreads) std::this_thread::yield();  // each on a thread of its own
      if (std::this_thread::get_id() == caller) return;
      first();
      of_worker = policy();
    });
  });
  return of_worker;
}

TEST(ThreadPriority, IsThatOfAllThreadsInTheArena) {
  const int wanted = may_be_realtime() ? SCHED_RR : SCHED_OTHER;
  EXPECT_EQ(policy_of_worker(true), wanted);
  EXPECT_EQ(policy(), SCHED_OTHER);
  EXPECT_EQ(policy_of_worker(true), wanted) << "again";
}

// After a watchdog.
TEST(ThreadPriority, OfAWorkerThatHasLostItComesAgain) {
  const int wanted = may_be_realtime() ? SCHED_RR : SCHED_OTHER;
  EXPECT_EQ(policy_of_worker(true, [] { end_realtime(0); }), SCHED_OTHER);
  EXPECT_EQ(policy_of_worker(true), wanted);
}

TEST(ThreadPriority, OfWorkersIsAsItIsAskedForNow) {
  EXPECT_EQ(policy_of_worker(true), may_be_realtime() ? SCHED_RR : SCHED_OTHER);
  EXPECT_EQ(policy_of_worker(false), SCHED_OTHER);
}
#endif

TEST(ThreadPriority, IsLowForWorkInTheBackgroundAndAsItWasAfterwards) {
  const int before = ::getpriority(PRIO_PROCESS, 0);
  std::thread([&] {
    {
      const BackgroundThread background;
      EXPECT_GE(::getpriority(PRIO_PROCESS, 0), 10);
    }
    if (may_be_realtime()) {
      EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
    }
  }).join();
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
}

}  // namespace
}  // namespace espalier
