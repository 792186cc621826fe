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

// What a thread of OpenSM's or ours has while all of OpenSM waits for it: SCHED_RR with the lowest real-time priority, as
// corosync has. A nice value would not do: between sessions and control groups the kernel does not look at it. Threads and
// processes that it makes do not have it.
constexpr int kRealtimePolicy = SCHED_RR | SCHED_RESET_ON_FORK;
// Whether nobody has chosen another policy than that of common processes.
[[nodiscard]] constexpr bool is_common(int policy) { return (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER; }
[[nodiscard]] inline bool is_realtime(pid_t thread) { return ::sched_getscheduler(thread) == kRealtimePolicy; }

// `policy` again, with its flag. Nothing where somebody has chosen another one meanwhile. Where RLIMIT_RTPRIO alone allows
// real-time priority, a process may give it up, but not clear the flag.
inline void end_realtime(pid_t thread, int policy = SCHED_OTHER) {
  if (!is_realtime(thread)) return;
  const sched_param none{};
  if (::sched_setscheduler(thread, policy, &none) != 0)
    ::sched_setscheduler(thread, policy | SCHED_RESET_ON_FORK, &none);
}

// While it lives, the thread has it; 0: the calling one. No effect on a thread that has not the policy of common processes, or
// where the process may not (it needs CAP_SYS_NICE or RLIMIT_RTPRIO).
class RealtimeThread {
 public:
  explicit RealtimeThread(pid_t thread = 0) : thread_(thread), before_(::sched_getscheduler(thread)) {
    if (before_ < 0 || !is_common(before_)) return;
    sched_param priority{};
    priority.sched_priority = ::sched_get_priority_min(SCHED_RR);
    is_raised_ = ::sched_setscheduler(thread_, kRealtimePolicy, &priority) == 0;
    is_refused_ = !is_raised_;
  }
  ~RealtimeThread() {
    if (is_raised_) end_realtime(thread_, before_);
  }
  RealtimeThread(const RealtimeThread&) = delete;
  RealtimeThread& operator=(const RealtimeThread&) = delete;

  [[nodiscard]] bool is_raised() const { return is_raised_; }
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  // Somebody else has taken it back.
  [[nodiscard]] bool is_lost() const { return is_raised_ && !is_realtime(thread_); }

 private:
  pid_t thread_;
  int before_;
  bool is_raised_ = false;
  bool is_refused_ = false;
};

// Likewise for another thread, until it ends or lowers itself. REQUIRES: it has not been joined.
inline void raise_thread(pthread_t thread) {
  int policy = 0;
  sched_param priority{};
  if (::pthread_getschedparam(thread, &policy, &priority) != 0 || !is_common(policy)) return;
  priority.sched_priority = ::sched_get_priority_min(SCHED_RR);
  static_cast<void>(::pthread_setschedparam(thread, kRealtimePolicy, &priority));
}
inline void lower_this_thread() { end_realtime(0); }

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
    if (!is_worker) return;
    if (thread() && (!are_realtime_ || thread()->is_lost())) thread().reset();
    if (are_realtime_ && !thread()) thread().emplace();
  }

 private:
  static std::optional<RealtimeThread>& thread() {
    thread_local std::optional<RealtimeThread> instance;
    return instance;
  }

  bool are_realtime_;
};

}  // namespace espalier
