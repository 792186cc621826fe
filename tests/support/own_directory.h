// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace espalier::test {

// A path for each test, with nothing there before and after; in a directory for this user alone, of a name that nobody
// knows before.
class OwnDirectory : public ::testing::Test {
 protected:
  OwnDirectory() {
    std::string name = ::testing::TempDir() + "espalier-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    top_ = name;
    path_ = top_ / "own";
  }
  ~OwnDirectory() override { std::filesystem::remove_all(top_); }

 private:
  std::filesystem::path top_;

 protected:
  std::filesystem::path path_;
};

}  // namespace espalier::test
