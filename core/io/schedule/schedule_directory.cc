// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule/schedule_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/try.h"
#include "core/io/descriptor.h"
#include "core/io/file.h"
#include "core/io/new_file.h"
#include "core/io/schedule/schedule_file.h"
#include "core/io/system_error.h"
#include "core/schedule/client/schedule_layout.h"

namespace espalier {
namespace {

constexpr std::uint64_t kKeptEpochs = 16;  // files that stay for those who have not looked for a while

constexpr ReadLimits kLimits{ReadLimits::Kinds::kRegularFiles, std::uint64_t{4} << 30};
constexpr const char* kAdvice =
    "schedule_directory must be a directory that only its owner, the subnet manager's user, can write to";

// An open directory. Everything in it is named relative to the descriptor, so that nobody puts another directory in its
// place between two steps, and no link is followed.
class Directory {
 public:
  static Result<Directory> open(const std::string& path) {
    std::error_code ignored;  // open() tells what is wrong
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    (void)::mkdir(path.c_str(), 0755);
    Directory directory(path, ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.fd_.is_open()) return system_error("open the directory", path, kAdvice);
    struct stat info {};
    if (::fstat(directory.number(), &info) != 0) return system_error("examine the directory", path, kAdvice);
    if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
      return fail_at(path, 0, "other users can write here, so nothing is published", kAdvice);
    return directory;
  }

  [[nodiscard]] int number() const { return fd_.number(); }
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + "/" + name; }

  // The epoch that `current` names; 0: none.
  [[nodiscard]] std::uint64_t current() const {
    std::array<char, 256> target{};
    const ssize_t length = ::readlinkat(number(), std::string(layout::kCurrent).c_str(), target.data(), target.size());
    return length <= 0 ? 0 : layout::epoch_of_file_name({target.data(), static_cast<std::size_t>(length)});
  }

  // Of all names of epochs, whatever is behind them; ascending.
  [[nodiscard]] std::vector<std::uint64_t> epochs() const {
    std::vector<std::uint64_t> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::openat(number(), ".", O_RDONLY | O_CLOEXEC)),
                                                      &::closedir);
    if (!entries) return found;
    while (const dirent* entry = ::readdir(entries.get()))  // NOLINT(concurrency-mt-unsafe): a stream of our own
      if (const std::uint64_t epoch = layout::epoch_of_file_name(entry->d_name); epoch != 0) found.push_back(epoch);
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] bool says_the_same(const std::string& name, const Schedule& schedule) const {
    const Descriptor file(::openat(number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    if (!file.is_open() || ::fstat(file.number(), &info) != 0 || info.st_uid != ::geteuid()) return false;
    const Result<std::string> content = read_open_file(file.number(), path_of(name), kLimits);
    if (!content) return false;
    const Result<Schedule> old = read_schedule_file(*content, path_of(name));
    return old && *old == schedule;
  }

  [[nodiscard]] Status add(const std::string& name, const std::string& content) const {
    ESPALIER_TRY(NewFile file, NewFile::create(number(), 0644, path_of(name)));
    if (std::fwrite(content.data(), 1, content.size(), file.stream()) != content.size())
      return system_error("write", path_of(name), kAdvice);
    return file.publish(name, NewFile::Existing::kRefused);
  }

  [[nodiscard]] Status make_current(const std::string& name) const {
    const std::string next = "current.next";
    const std::string current(layout::kCurrent);
    if (::unlinkat(number(), next.c_str(), 0) != 0 && errno != ENOENT)
      return system_error("remove", path_of(next), kAdvice);
    if (::symlinkat(name.c_str(), number(), next.c_str()) != 0)
      return system_error("make the link", path_of(next), kAdvice);
    if (::renameat(number(), next.c_str(), number(), current.c_str()) != 0)
      return system_error("replace the link", path_of(current), kAdvice);
    return {};
  }

  void remove(const std::string& name) const { (void)::unlinkat(number(), name.c_str(), 0); }

 private:
  Directory(std::string path, int number) : path_(std::move(path)), fd_(number) {}

  std::string path_;
  Descriptor fd_;
};

}  // namespace

std::string epoch_file_name(std::uint64_t epoch) {
  return fmt::format("{}{:0{}}{}", layout::kPrefix, epoch, layout::kEpochDigits, layout::kSuffix);
}

Result<std::uint64_t> publish_schedule(const std::string& path, Schedule schedule) {
  ESPALIER_TRY(const Directory directory, Directory::open(path));
  const std::uint64_t current = directory.current();
  schedule.epoch = current;
  if (current != 0 && directory.says_the_same(epoch_file_name(current), schedule)) return current;

  // No number is given twice, also where `current` is gone: a client may still use the file of any epoch.
  const std::vector<std::uint64_t> epochs = directory.epochs();
  const std::uint64_t last = std::max(current, epochs.empty() ? 0 : epochs.back());
  if (last >= layout::kMaxEpoch)
    return fail_at(directory.path_of(epoch_file_name(last)), 0, "this is the highest number that an epoch can have",
                   "remove the file: Espalier did not write it");
  schedule.epoch = last + 1;
  const std::string name = epoch_file_name(schedule.epoch);
  ESPALIER_TRY_STATUS(directory.add(name, write_schedule_file(schedule)));
  // The epoch is complete; nobody sees it yet.
  ESPALIER_TRY_STATUS(directory.make_current(name));
  // Everybody who looks sees the new epoch, whole.
  for (const std::uint64_t epoch : epochs)
    if (epoch + kKeptEpochs <= schedule.epoch) directory.remove(epoch_file_name(epoch));
  return schedule.epoch;
}

}  // namespace espalier
