// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The exception guard: C++ exceptions that reach OpenSM's C frames kill the subnet manager, so none gets past here.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace espalier {

// Runs `body` and returns what it returns. If it throws, calls `report(const char* what)` and returns `failed`.
// `report` may throw as well: that is swallowed. Only the forced unwinding of a canceled thread passes, since the C
// library aborts the process when it is stopped.
template <class Body, class Report>
[[nodiscard]] std::invoke_result_t<Body> with_exception_guard(Body&& body, Report&& report,
                                                              std::invoke_result_t<Body> failed) {
  const auto tell = [&](const char* what) noexcept {
    try {
      report(what);
    } catch (...) {
    }
  };
  try {
    return std::forward<Body>(body)();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    tell("out of memory");
  } catch (const std::exception& e) {
    tell(e.what());
  } catch (...) {
    tell("an exception of unknown type");
  }
  return failed;
}

// The same for a body that returns nothing.
template <class Body, class Report>
void with_exception_guard(Body&& body, Report&& report) {
  const auto done = [&] { return std::forward<Body>(body)(), true; };
  static_cast<void>(with_exception_guard(done, std::forward<Report>(report), false));
}

}  // namespace espalier
