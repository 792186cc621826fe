// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "core/tools/quiet.h"

namespace espalier::tools {
namespace {

std::atomic<bool> is_shown = false;  // some bar of this process

constexpr std::uint64_t kWidth = 30;
constexpr std::chrono::milliseconds kFirstLook{500};
constexpr std::chrono::milliseconds kNextLook{200};

// "sp [#####     ]  50 %, 12 s left"; without a total "sp, 12 s".
std::string progress_line(const std::string& what, std::uint64_t done, std::uint64_t total, double seconds) {
  if (total == 0) return fmt::format("{}, {:.0f} s", what, seconds);
  done = std::min(done, total);
  const std::string line =
      fmt::format("{} [{:<{}}] {:>3} %", what, std::string(done * kWidth / total, '#'), kWidth, done * 100 / total);
  if (done == 0) return line;
  return fmt::format("{}, {:.0f} s left", line,
                     seconds * static_cast<double>(total - done) / static_cast<double>(done));
}

}  // namespace

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)), is_outermost_(!is_shown.exchange(true)) {
  if (is_outermost_ && !is_quiet() && isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { show(); });
}

ProgressBar::~ProgressBar() {
  if (is_outermost_) is_shown = false;
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void ProgressBar::show() {
  std::unique_lock lock(mutex_);
  std::size_t shown = 0;
  const auto start = std::chrono::steady_clock::now();
  for (auto wait = kFirstLook; !ended_.wait_for(lock, wait, [this] { return end_; }); wait = kNextLook) {
    const std::string line =
        progress_line(what_, progress_.done.load(), progress_.total.load(),
                      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    fmt::print(stderr, "\r{:<{}}", line, shown);
    std::fflush(stderr);
    shown = line.size();
  }
  if (shown > 0) fmt::print(stderr, "\r{:{}}\r", "", shown);
}

}  // namespace espalier::tools
