// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Real-time priority of OpenSM's sweeping thread, from one event or callback of it to another. A watchdog takes it back if
// the end does not come: a thread that went astray with it would leave a machine of one processor to nobody else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "plugin/thread_priority.h"

namespace espalier {

class RunPriority {
 public:
  using Clock = std::chrono::steady_clock;
  // `tell` gets a line for the log, from any thread.
  explicit RunPriority(std::function<void(std::string_view)> tell, Clock::duration at_most = std::chrono::seconds{10});
  RunPriority(const RunPriority&) = delete;
  RunPriority& operator=(const RunPriority&) = delete;

  // The calling thread goes first, for at most so long from now on, also where it does already. Nothing if another thread
  // does, or where RealtimeThread has no effect.
  void raise();
  // What the thread had before. Nothing in another thread.
  void lower();

 private:
  void start_watchdog();
  void watch(const std::stop_token& stop);

  std::function<void(std::string_view)> tell_;
  Clock::duration at_most_;
  std::mutex mutex_;      // of what follows
  bool is_told_ = false;  // that it is refused
  std::condition_variable_any changed_;
  std::optional<RealtimeThread> raised_;
  pid_t thread_ = 0;  // the one that is raised
  Clock::time_point until_;
  std::jthread watchdog_;  // last: ends first
};

}  // namespace espalier
