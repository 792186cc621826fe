// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/exception_guard.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace espalier {
namespace {

constexpr int kFailed = -1;

// What the guard returns for this body, and what it reported.
template <class Body>
std::pair<int, std::string> through_the_guard(Body body) {
  std::string reported;
  const int verdict = with_exception_guard(
      body, [&](const char* what) { reported = what; }, kFailed);
  return {verdict, reported};
}

TEST(ExceptionGuard, PassesTheVerdictOn) {
  EXPECT_EQ(through_the_guard([] { return 0; }), (std::pair<int, std::string>(0, "")));
  EXPECT_EQ(through_the_guard([] { return 1; }), (std::pair<int, std::string>(1, "")));
}

TEST(ExceptionGuard, StopsAndReportsEveryException) {
  EXPECT_EQ(through_the_guard([]() -> int { throw std::logic_error("a broken invariant"); }),
            (std::pair<int, std::string>(kFailed, "a broken invariant")));
  EXPECT_EQ(through_the_guard([]() -> int { throw std::bad_alloc(); }),
            (std::pair<int, std::string>(kFailed, "out of memory")));
  EXPECT_EQ(through_the_guard([]() -> int { throw 42; }),
            (std::pair<int, std::string>(kFailed, "an exception of unknown type")));
}

TEST(ExceptionGuard, StopsAnExceptionOfTheReportItself) {
  const auto throws = []() -> int { throw std::runtime_error("first"); };
  EXPECT_EQ(with_exception_guard(
                throws, [](const char*) { throw std::bad_alloc(); }, kFailed),
            kFailed);
}

TEST(ExceptionGuard, TakesBodiesThatReturnNothing) {
  std::string reported;
  with_exception_guard([] { throw std::logic_error("a broken invariant"); },
                       [&](const char* what) { reported = what; });
  EXPECT_EQ(reported, "a broken invariant");
}

}  // namespace
}  // namespace espalier
