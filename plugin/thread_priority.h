// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who goes first on a busy machine: a routing run, since all of OpenSM waits for it, then OpenSM's other threads, then
// what takes long in the background. Linux has scheduling policies (sched(7)) and nice values for each thread.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace espalier {

// While it lives, OpenSM's threads and everybody else go before the calling thread, as before what nice(1) starts. With
// the greatest nice value, 19, a search of 3 s did not end in six minutes beside four busy processes on two cores. The
// thread goes on as it was, if the process may raise priorities.
class BackgroundThread {
 public:
  BackgroundThread() { set(std::max(before_, kNice)); }
  ~BackgroundThread() { set(before_); }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

 private:
  static constexpr int kNice = 10;
  // On Linux both are of the thread, not of the process.
  static void set(int nice) { static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice)); }
  int before_ = ::getpriority(PRIO_PROCESS, 0);
};

// For a thread that a run has started or woken, before its work. The run does so with real-time priority: as soon as it had
// given that up it would wait for the thread, and all of OpenSM with it.
inline void leave_to_run(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds kGrace{10};
  lock.unlock();
  std::this_thread::sleep_for(kGrace);
  lock.lock();
}

// While it lives, the calling thread has SCHED_RR with the lowest real-time priority, as corosync has. A nice value
// would not do: between sessions and control groups the kernel does not look at it. No effect on a thread that has not
// the policy of common processes, or where the process may not (it needs CAP_SYS_NICE).
class RealtimeThread {
 public:
  RealtimeThread() {
    if (::sched_getscheduler(0) != SCHED_OTHER) return;
    sched_param priority{};
    priority.sched_priority = ::sched_get_priority_min(SCHED_RR);
    is_raised_ = ::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority) == 0;  // threads that it makes: not
  }
  ~RealtimeThread() {
    const sched_param none{};
    if (is_raised_) ::sched_setscheduler(0, SCHED_OTHER, &none);
  }
  RealtimeThread(const RealtimeThread&) = delete;
  RealtimeThread& operator=(const RealtimeThread&) = delete;

 private:
  bool is_raised_ = false;
};

// Likewise, from one callback of OpenSM's sweeping thread to another. Given up while OpenSM still holds its lock, the priority
// would leave the lock to a thread that waits behind whoever else is busy.
class RunPriority {
 public:
  void raise() {
    if (raised_) return;
    thread_ = std::this_thread::get_id();
    raised_.emplace();
  }
  // Nothing in another thread.
  void lower() {
    if (raised_ && thread_ == std::this_thread::get_id()) raised_.reset();
  }

 private:
  std::thread::id thread_;
  std::optional<RealtimeThread> raised_;
};

// Likewise for another thread, until it ends or lowers itself. REQUIRES: it has not been joined.
inline void raise_thread(pthread_t thread) {
  sched_param priority{};
  priority.sched_priority = ::sched_get_priority_min(SCHED_RR);
  static_cast<void>(::pthread_setschedparam(thread, SCHED_RR | SCHED_RESET_ON_FORK, &priority));
}
inline void lower_this_thread() {
  const sched_param none{};
  if ((::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_RR) ::sched_setscheduler(0, SCHED_OTHER, &none);
}

// Likewise for TBB's workers, from their first time in an arena of a run on. They keep it while they sleep: woken with a
// common priority, a worker waits for whatever has the processor, and Linux lets it wait behind the thread that woke it
// rather than wake a processor that its host has put to sleep. Nothing but runs has workers: what is done in the background
// has arenas of one thread.
class RealtimeWorkers : public tbb::task_scheduler_observer {
 public:
  explicit RealtimeWorkers(tbb::task_arena& arena, bool are_realtime = true)
      : tbb::task_scheduler_observer(arena), are_realtime_(are_realtime) {
    observe(true);
  }
  ~RealtimeWorkers() override { observe(false); }
  RealtimeWorkers(const RealtimeWorkers&) = delete;
  RealtimeWorkers& operator=(const RealtimeWorkers&) = delete;

  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker || are_realtime_ == thread().has_value()) return;
    if (are_realtime_)
      thread().emplace();
    else
      thread().reset();
  }

 private:
  static std::optional<RealtimeThread>& thread() {
    thread_local std::optional<RealtimeThread> instance;
    return instance;
  }

  bool are_realtime_;
};

}  // namespace espalier
