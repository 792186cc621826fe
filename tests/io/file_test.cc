// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace espalier {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() : dir_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~FileTest() override { fs::remove_all(dir_); }
  std::string path(const char* name) const { return (dir_ / name).string(); }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(dir_), fs::directory_iterator()); }

  fs::path dir_;
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string bytes("a\0\r\nb", 5);
  ASSERT_TRUE(write_file(path("f"), bytes));
  EXPECT_EQ(read_file(path("f")).value(), bytes);
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, AFileThatIsNotThereIsNamedWithTheSystemsWords) {
  const auto text = read_file(path("none"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text(), EndsWith("/none: cannot open: No such file or directory"));
}

TEST_F(FileTest, ADirectoryCannotBeRead) {
  const auto text = read_file(dir_.string());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text(), HasSubstr("cannot read: Is a directory"));
}

TEST_F(FileTest, AFailureInTheMiddleLeavesTheOldFileAndNoOther) {
  ASSERT_TRUE(write_file(path("f"), "old"));
  const Status done = write_file(path("f"), [](std::FILE* out) -> Status {
    (void)std::fputs("half of the n", out);
    return fail("the tables are not complete");
  });
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), EndsWith("/f: the tables are not complete"));
  EXPECT_EQ(read_file(path("f")).value(), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, AFileCannotBeWrittenIntoADirectoryThatIsNotThere) {
  const Status done = write_file(path("none/f"), "x");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), EndsWith("none/f: cannot create a file beside it: No such file or directory"));
}

TEST_F(FileTest, ReplacingAFileKeepsItsPermissions) {
  ASSERT_TRUE(write_file(path("f"), "old"));
  fs::permissions(path("f"), fs::perms::owner_all);
  ASSERT_TRUE(write_file(path("f"), "new"));
  EXPECT_EQ(fs::status(path("f")).permissions(), fs::perms::owner_all);
}

TEST_F(FileTest, ALinkStaysAndItsTargetIsWritten) {
  ASSERT_TRUE(write_file(path("target"), "old"));
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target")).value(), "new");
}

TEST_F(FileTest, ADeviceIsWrittenDirectly) {
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, AFullDeviceIsAnError) {
  const Status done = write_file("/dev/full", "x");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text(), "/dev/full: cannot write: No space left on device");
}

}  // namespace
}  // namespace espalier
