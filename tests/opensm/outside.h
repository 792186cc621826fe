// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "plugin/repair/repairs.h"

namespace espalier::test {

// What OpenSM is for Repairs: it notes what it is told, and counts the sweeps that it is asked for.
class Outside {
 public:
  [[nodiscard]] RepairOutlets outlets() {
    return {[this](std::string_view line) { note(infos_, line); },
            [this](std::string_view line) { note(errors_, line); },
            [this] {
              const std::lock_guard lock(mutex_);
              ++sweeps_;
              changed_.notify_all();
            }};
  }
  [[nodiscard]] bool is_asked_for_sweeps(int count, std::chrono::milliseconds within = std::chrono::seconds(60)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, within, [&] { return sweeps_ >= count; });
  }
  [[nodiscard]] std::string errors() { return read(errors_); }
  [[nodiscard]] std::string infos() { return read(infos_); }

 private:
  void note(std::string& text, std::string_view line) {
    const std::lock_guard lock(mutex_);
    text.append(line).append("\n");
  }
  std::string read(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return text;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string infos_, errors_;
  int sweeps_ = 0;
};

}  // namespace espalier::test
