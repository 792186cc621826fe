// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace espalier::test {

// A path for each test of a suite, with nothing there before and after. Each has its own: they run beside each other.
class OwnDirectory : public ::testing::Test {
 protected:
  OwnDirectory() {
    const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("espalier_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
  }
  ~OwnDirectory() override { std::filesystem::remove_all(path_); }

  std::filesystem::path path_;
};

}  // namespace espalier::test
