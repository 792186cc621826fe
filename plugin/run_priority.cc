// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/run_priority.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "plugin/exception_guard.h"

namespace espalier {
namespace {

// All threads of this process that have it, but for the calling one. Workers that a run has left behind are among them.
void end_realtime_of_others() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    if (thread != ::gettid()) end_realtime(thread);
  }
}

}  // namespace

RunPriority::RunPriority(std::function<void(std::string_view)> tell, Clock::duration at_most)
    : tell_(std::move(tell)), at_most_(at_most) {}

void RunPriority::raise() {
  bool is_news = false;
  with_exception_guard(
      [&] {
        const std::lock_guard lock(mutex_);
        if (raised_ && thread_ != ::gettid()) return;
        until_ = Clock::now() + at_most_;
        if (raised_ && !raised_->is_lost()) return;
        start_watchdog();
        thread_ = ::gettid();
        raised_.emplace(thread_);
        is_news = raised_->is_refused() && !std::exchange(is_told_, true);
        if (!raised_->is_raised()) return raised_.reset();
        changed_.notify_all();
      },
      [](const char*) {});  // without a watchdog there is no priority
  if (is_news) tell_("real-time priority is refused (CAP_SYS_NICE or RLIMIT_RTPRIO): other programs may delay routing");
}

void RunPriority::lower() {
  const std::lock_guard lock(mutex_);
  if (raised_ && thread_ == ::gettid()) raised_.reset();
}

// It sleeps, and has this priority itself: it is not to wait for the thread that it watches.
void RunPriority::start_watchdog() {
  if (watchdog_.joinable()) return;
  watchdog_ = std::jthread(
      [this](const std::stop_token& stop) { with_exception_guard([&] { watch(stop); }, [](const char*) {}); });
  raise_thread(watchdog_.native_handle());
}

void RunPriority::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!raised_) {
      changed_.wait(lock, stop, [&] { return raised_.has_value(); });
    } else if (const Clock::time_point until = until_; Clock::now() < until) {
      changed_.wait_until(lock, stop, until,
                          [] { return false; });  // by then it may have been lowered, and raised again
    } else {
      raised_.reset();
      with_exception_guard([] { end_realtime_of_others(); }, [](const char*) {});
      lock.unlock();
      tell_("routing has not ended in time: real-time priority is taken back");
      lock.lock();
    }
  }
}

}  // namespace espalier
