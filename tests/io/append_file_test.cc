// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/append_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>

#include "core/io/file.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

using AppendFile = test::OwnDirectory;

// As on a full disk: what is beyond so many bytes is not written.
class NoMoreThan {
 public:
  explicit NoMoreThan(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit now{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
  }
  ~NoMoreThan() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }
  NoMoreThan(const NoMoreThan&) = delete;
  NoMoreThan& operator=(const NoMoreThan&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(AppendFile, LeavesNoHalfLineOnAFullDisk) {
  const std::string file = path_;
  ASSERT_TRUE(append_to_file(file, "first\n"));
  {
    const NoMoreThan ten(10);
    const Status full = append_to_file(file, "second\n");
    ASSERT_FALSE(full);
    EXPECT_THAT(full.error().text(), HasSubstr("File too large"));
  }
  EXPECT_EQ(read_file(file), "first\n");
  ASSERT_TRUE(append_to_file(file, "third\n"));
  EXPECT_EQ(read_file(file), "first\nthird\n");
}

}  // namespace
}  // namespace espalier
