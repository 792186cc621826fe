// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Work in processes of their own: each has a peak memory of its own, can crash or be stopped without harm to the
// others, and does not outlive the command, however that ends.
//
// The last is the kernel's doing (PR_SET_PDEATHSIG): a command that is killed with SIGKILL ends nobody itself.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace espalier::tools {

// What `work` returns, from a copy of this process. Errors: `work` throws (the message is the exception's or the
// Refused's), crashes, or is not done within `limit`; then it is killed.
// REQUIRES: this process has a single thread, so nothing before that runs loops of core/base/parallel.h.
[[nodiscard]] Result<std::string> run_in_child(std::chrono::seconds limit, const std::function<std::string()>& work);

using Environment = std::vector<std::pair<std::string, std::string>>;

// Runs a program with these variables added to the environment, both outputs to the file `log`, and returns its exit
// code; -1: a signal ended it. When the calling process ends first, the program gets SIGTERM.
// Errors: it cannot be started.
[[nodiscard]] Result<int> run_program(const std::vector<std::string>& words, const Environment& environment,
                                      const std::string& log);

}  // namespace espalier::tools
