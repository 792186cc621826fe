// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Shows people at a terminal that long work goes on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/progress.h"

namespace espalier::tools {

// While it lives, standard error has a line like "sp [#####     ]  50 %, 12 s left", or "sp, 12 s" where the total is
// not known, if it is a terminal and the work takes longer than half a second. The line is wiped out at the end. Of
// bars within bars only the outermost is shown.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  [[nodiscard]] Progress* progress() { return &progress_; }

 private:
  void show();

  std::string what_;
  bool is_outermost_ = false;
  Progress progress_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace espalier::tools
