// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/io/descriptor.h"
#include "core/io/file_owner.h"
#include "core/io/new_file.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class FileTest : public test::OwnDirectory {
 protected:
  FileTest() : dir_(path_) { fs::create_directories(dir_); }
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
  EXPECT_THAT(done.error().text(), EndsWith("/none; create it first"));
  EXPECT_THAT(done.error().text(), HasSubstr("none/f: there is no folder /"));
  ASSERT_TRUE(write_file(path("f"), "x"));
  EXPECT_THAT(write_file(path("f/g"), "x").error().text(), EndsWith("/f is no folder"));
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

// ---- what somebody else may have put there ----

// Without a writer a plain open() would wait forever.
TEST_F(FileTest, AServiceDoesNotWaitForTheWriterOfAFifo) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const auto text = read_file(path("fifo"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text(), EndsWith("/fifo: is not a regular file"));
}

TEST_F(FileTest, ADeviceIsNotRead) {
  for (const ReadLimits& limits : {kForService, kForPerson}) {
    const auto text = read_file("/dev/zero", limits);
    ASSERT_FALSE(text);
    EXPECT_THAT(text.error().text(), testing::StartsWith("/dev/zero: is "));
  }
}

TEST_F(FileTest, APersonMayNameAPipe) {
  int ends[2];  // NOLINT(modernize-avoid-c-arrays): as pipe() wants it
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(ends[0]), kForPerson).value(), "text");
  ::close(ends[0]);
}

TEST_F(FileTest, ThereIsALimit) {
  std::ofstream(path("large")) << "12345";
  EXPECT_EQ(read_file(path("large"), {ReadLimits::Kinds::kRegularFiles, 5}).value(), "12345");
  const auto text = read_file(path("large"), {ReadLimits::Kinds::kRegularFiles, 4});
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().text(), HasSubstr("larger than 4 bytes"));
}

// A sparse file costs its owner nothing and would cost us its size.
TEST_F(FileTest, AServiceReadsNoGigabytesOfNothing) {
  std::ofstream(path("sparse")).close();
  fs::resize_file(path("sparse"), std::uintmax_t{1} << 40);
  EXPECT_FALSE(read_file(path("sparse")));
}

TEST_F(FileTest, AServiceWritesThroughNoLinkAndIntoNoFifo) {
  std::ofstream(path("precious")) << "precious";
  fs::create_symlink("precious", path("link"));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  for (const char* name : {"link", "fifo"}) {
    const Status done = write_file(path(name), "x", WriteTo::kRegularFile);
    ASSERT_FALSE(done) << name;
    EXPECT_THAT(done.error().text(), HasSubstr("is not a regular file"));
  }
  EXPECT_EQ(read_file(path("precious")).value(), "precious");
  EXPECT_TRUE(write_file(path("new"), "x", WriteTo::kRegularFile));
  EXPECT_TRUE(write_file(path("new"), "y", WriteTo::kRegularFile));
}

// SIGKILL stands for SIGINT, which the tests' own runner would want for itself.
TEST_F(FileTest, AWriterThatIsKilledLeavesNothing) {
  ASSERT_TRUE(write_file(path("f"), "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    (void)write_file(path("f"), [](std::FILE* out) -> Status {
      for (int i = 0; i < 100'000; ++i) (void)std::fputs("half of the n", out);
      (void)std::fflush(out);
      ::raise(SIGKILL);
      return {};
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(path("f")).value(), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, AFileWithoutANameIsGivenOneThatIsFreeOnly) {
  const Descriptor directory(::open(dir_.c_str(), O_RDONLY | O_DIRECTORY));
  std::ofstream(path("taken")) << "old";
  auto file = NewFile::create(directory.number(), 0644, path("taken"));
  ASSERT_TRUE(file);
  (void)std::fputs("new", file->stream());
  EXPECT_FALSE(file->publish("taken", NewFile::Existing::kRefused));
  EXPECT_TRUE(file->publish("free", NewFile::Existing::kRefused));
  EXPECT_EQ(read_file(path("taken")).value(), "old");
  EXPECT_EQ(read_file(path("free")).value(), "new");
  EXPECT_EQ(files(), 2);
}

TEST_F(FileTest, WhoElseMayChangeAFileIsNamed) {
  fs::permissions(dir_, fs::perms::owner_all);
  std::ofstream(path("own")).close();
  ASSERT_EQ(::chmod(path("own").c_str(), 0644), 0);
  const std::string around = who_else_may_change(dir_.string());
  EXPECT_EQ(around, "") << "the folder for temporary files is not safe (TMPDIR)";
  EXPECT_EQ(who_else_may_change(path("own")), "");
  ASSERT_EQ(::chmod(path("own").c_str(), 0646), 0);
  EXPECT_EQ(who_else_may_change(path("own")), "can be changed by anyone");
  ASSERT_EQ(::chmod(path("own").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(dir_.c_str(), 0777), 0);
  EXPECT_EQ(who_else_may_change(path("own")),
            "is in " + fs::canonical(dir_).string() + ", which can be changed by anyone");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chmod(dir_.c_str(), 0700), 0);
    ASSERT_EQ(::chown(path("own").c_str(), 65534, 0), 0);
    EXPECT_EQ(who_else_may_change(path("own")), "belongs to user 65534");
  }
  EXPECT_EQ(who_else_may_change(path("none")), "");
}

}  // namespace
}  // namespace espalier
